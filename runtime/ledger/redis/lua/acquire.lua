#!lua
-- Wins the lease where the exact row that the candidate saw may be replaced (L1 to L4): lease and epoch are written together.
--
-- ARGV   4 holder · 5 address · 6 process · 7 holder, 8 epoch, 9 renewals of the row that was seen, '' each where there was none
--        10 '1' where the candidate has grounds of its own · 11 ttlMs · 12 floor · 13 identity of the store from now on
-- Replies: {'won', lease, identity, writes} · {'held', lease} · {'behind', epoch, floor} · {'torn', epoch of the lease, epoch of the head}
--        {'retired', ms until its keys expire} the run is not finished, and nobody may go on with it (retire.lua)
local floor = math.floor
--@include head
--@include lease

-- Who may not ask may let nothing expire either.
local left = state == 'c' and -1 or redis.pcall('PTTL', HEAD)
if type(left) == 'number' and left > 0 then return { 'retired', left } end
if there.epoch ~= epoch then return { 'torn', there.epoch, epoch } end
local lowest = math.max(tonumber(ARGV[12]), ARGV[8] == '' and -1 or tonumber(ARGV[8]))
if epoch < lowest then return { 'behind', epoch, lowest } end
if isThere and there.holder == ARGV[4] then return { 'won', leaseReply(), identity, writes } end
if isThere then
  local isSame = there.holder == ARGV[7] and tostring(there.epoch) == ARGV[8] and tostring(there.renewals) == ARGV[9]
  local mayTake = there.holder == '' or ARGV[10] == '1' or nowMs >= there.untilMs
  if not (isSame and mayTake) then return { 'held', leaseReply() } end
end
epoch = epoch + 1
lease[5], lease[6] = ARGV[5], ARGV[6]
putLease(ARGV[4], epoch, isThere and there.renewals + 1 or 0, nowMs + tonumber(ARGV[11]))
-- A store that is restored may give an epoch again that another process has won; by the identity the two are told apart.
identity = ARGV[13]
putHead('i', identity, 'f', FORMAT)
return carryOut() or { 'won', leaseReply(), identity, writes }
