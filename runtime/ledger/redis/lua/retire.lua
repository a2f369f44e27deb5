#!lua flags=allow-oom
-- Retires a run that nobody wants any more, under no epoch: whoever lost its lease is fenced, nobody wins it again (acquire.lua), and its keys
-- expire. Not while the lease is held: whoever asks may have a copy of the record of a run that goes on. A run of which nothing is there gets a
-- head that says so, so that a coordinator that is still to begin does not. Where the keys expire already, of a finished run or one that was
-- retired before, nothing is changed (L38).
--
-- ARGV   4 ms after which the keys expire
-- Replies: {'retired', ms until they expire} · {'held', lease} nothing was written
local floor = math.floor
--@include head
--@include lease
--@include segments

local left = redis.call('PTTL', HEAD)
if left > 0 then return { 'retired', left } end
if isThere and there.holder ~= '' and nowMs < there.untilMs then return { 'held', leaseReply() } end
if not isAllowed({ 'PEXPIRE', HEAD, ARGV[4] }) then return { 'denied', 'PEXPIRE', HEAD } end
if state ~= 'c' then
  epoch = epoch + 1
  if isThere then putLease('', epoch, there.renewals + 1, nowMs) end
  putHead('f', FORMAT)
  local denied = carryOut()
  if denied then return denied end
end
for _, key in ipairs(keysOfRun()) do redis.call('PEXPIRE', key, ARGV[4]) end
return { 'retired', tonumber(ARGV[4]) }
