#!lua
-- Appends to the segment of this epoch, at the byte that the caller names: one that comes late or twice changes nothing (L7, L38).
--
-- ARGV   4 how many bytes the segment has · 5 more bytes, all of one chunk
-- Replies: {'appended', writes} · {'elsewhere', writes} the segment ends at another byte, or has lost bytes
--@include head
--@include segments

local refused = refusedByEpoch()
if refused then return refused end
local at, added = tonumber(ARGV[4]), ARGV[5]
local bytes, creator = segmentOf(epoch)
local key, from = chunkKey(epoch, math.floor(at / CHUNK)), at % CHUNK
if bytes == at and redis.call('STRLEN', key) == from then
  planGrowth(at, creator, added)
  return carryOut() or { 'appended', writes }
end
if bytes and bytes >= at + #added and redis.call('GETRANGE', key, from, from + #added - 1) == added then return { 'appended', writes } end
return { 'elsewhere', writes }
