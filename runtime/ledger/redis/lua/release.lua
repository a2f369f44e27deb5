#!lua flags=allow-oom
-- Empties the holder and keeps the epoch (L1).
--
-- ARGV   4 holder · 5 epoch
-- Replies: {'released'} · {'fenced', epoch}
local floor = math.floor
--@include head
--@include lease

local asked = tonumber(ARGV[5])
if isThere and there.holder == '' and there.epoch == asked then return { 'released' } end
if not isThere or there.holder ~= ARGV[4] or there.epoch ~= asked then return { 'fenced', there.epoch } end
putLease('', there.epoch, there.renewals + 1, there.untilMs)
return carryOut() or { 'released' }
