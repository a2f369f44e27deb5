#!lua
-- Writes a worker's registration; a new worker gets a number of its own, never used again (L9). Stamped (L38).
--
-- ARGV   4 serial · 5 worker · 6 registration
-- Reply: {'registered', writes, worker number}
--@include head

local refused = refusedByEpoch()
if refused then return refused end
local serial = tonumber(ARGV[4])
local kept = redis.call('HGET', WORKERS, ARGV[5])
local number
if kept then
  local lastEpoch, lastSerial
  number, lastEpoch, lastSerial = struct.unpack('<I4I4I4', kept)
  local order = orderOf(lastEpoch, lastSerial, serial)
  if order ~= 'new' then return { order == 'repeated' and 'registered' or 'overtaken', writes, number } end
else
  if workerNumbers >= 4294967295 then return { 'bug', 'a worker number fits in 32 bits (L9)' } end
  workerNumbers = workerNumbers + 1
  number = workerNumbers
end
plan('HSET', WORKERS, ARGV[5], struct.pack('<I4I4I4', number, epoch, serial) .. ARGV[6])
putHead()
return carryOut() or { 'registered', writes, number }
