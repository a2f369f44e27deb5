#!lua
-- Takes a worker's registration away; its number stays taken (L9). Stamped (L38).
--
-- ARGV   4 serial · 5 worker
-- Reply: {'forgotten', writes}
--@include head

local refused = refusedByEpoch()
if refused then return refused end
local serial = tonumber(ARGV[4])
local kept = redis.call('HGET', WORKERS, ARGV[5])
if not kept then return { 'forgotten', writes } end
local number, lastEpoch, lastSerial = struct.unpack('<I4I4I4', kept)
local order = orderOf(lastEpoch, lastSerial, serial)
if order ~= 'new' then return { order == 'repeated' and 'forgotten' or 'overtaken', writes } end
plan('HSET', WORKERS, ARGV[5], struct.pack('<I4I4I4', number, epoch, serial))
putHead()
return carryOut() or { 'forgotten', writes }
