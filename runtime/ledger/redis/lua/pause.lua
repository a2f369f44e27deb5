#!lua
-- Pauses or resumes a run that is not completed (L16). Stamped (L38).
--
-- ARGV   4 serial · 5 state: p or r · 6 reason
-- Reply: {'changed', writes}
--@include head

local refused = refusedByEpoch()
if refused then return refused end
local serial = tonumber(ARGV[4])
local order = orderOf(stateEpoch, stateSerial, serial)
if order ~= 'new' then return { order == 'repeated' and 'changed' or 'overtaken', writes } end
local gone = goneFor(false)
if gone then return gone end
putHead('s', packState(ARGV[5], serial, ARGV[6]))
return carryOut() or { 'changed', writes }
