#!lua
-- Ends the run, once each of its items is terminal (L16). Stamped (L38).
--
-- ARGV   4 serial · 5 items
-- Reply: {'finished', writes} · {'unfinished', writes, packed head, state, reason}
--@include head

local refused = refusedByEpoch()
if refused then return refused end
local serial, items = tonumber(ARGV[4]), tonumber(ARGV[5])
local order = orderOf(stateEpoch, stateSerial, serial)
if order ~= 'new' then return { order == 'repeated' and 'finished' or 'overtaken', writes } end
if done + failed ~= items or cursor ~= items then
  return { 'unfinished', writes, { epoch, cursor, running, handedBack, done, failed }, state, reason }
end
if running ~= 0 or handedBack ~= 0 then return { 'bug', 'all items are terminal, and yet some are in flight' } end
if state ~= 'c' then putHead('s', packState('c', serial, '')) end
return carryOut() or { 'finished', writes }
