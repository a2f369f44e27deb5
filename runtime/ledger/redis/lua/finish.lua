#!lua
-- Ends the run, once each of its items is terminal (L16). Stamped (L38).
--
-- ARGV   4 serial · 5 items · 6 ms after which the keys of the finished run expire, 0 for never
-- Reply: {'finished', writes} · {'unfinished', writes, counters, state, reason}
--@include head
--@include segments

local refused = refusedByEpoch()
if refused then return refused end
local serial, items = tonumber(ARGV[4]), tonumber(ARGV[5])
local order = orderOf(stateEpoch, stateSerial, serial)
if order ~= 'new' then return { order == 'repeated' and 'finished' or 'overtaken', writes } end
if done + failed ~= items or cursor ~= items then
  return { 'unfinished', writes, { epoch, cursor, running, handedBack, done, failed, redone }, state, reason }
end
if running ~= 0 or handedBack ~= 0 then return { 'bug', 'all items are terminal, and yet some are in flight' } end
if state ~= 'c' then putHead('s', packState('c', serial, '')) end
local denied = carryOut()
if denied then return denied end
-- Only of a run that is finished by now. Where a key may not expire it is kept, and the run is finished all the same.
if state ~= 'c' and ARGV[6] ~= '0' then for _, key in ipairs(keysOfRun()) do redis.pcall('PEXPIRE', key, ARGV[6]) end end
return { 'finished', writes }
