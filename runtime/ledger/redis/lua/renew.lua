#!lua flags=allow-oom
-- Extends the lease of its holder, who names the count (L4, L38): a higher one there extends nothing, a lower one means lost writes.
--
-- ARGV   4 holder · 5 epoch · 6 renewals · 7 ttlMs
-- Replies: {'renewed', lease} · {'fenced', epoch} · {'fewer', renewals}
local floor = math.floor
--@include head
--@include lease

if not isThere or there.holder ~= ARGV[4] or there.epoch ~= tonumber(ARGV[5]) then return { 'fenced', there.epoch } end
local count = tonumber(ARGV[6])
if there.renewals < count then return { 'fewer', there.renewals } end
if there.renewals == count then putLease(there.holder, there.epoch, count + 1, nowMs + tonumber(ARGV[7])) end
return carryOut() or { 'renewed', leaseReply() }
