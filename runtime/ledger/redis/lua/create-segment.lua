#!lua
-- Makes the segment of this epoch, exclusively (L17). Asked again by the same creator it is answered as before (L38).
--
-- ARGV   4 who creates it · 5 its first bytes, fewer than a chunk has
-- Replies: {'created', writes} · {'exists', writes}
--@include head
--@include segments

local refused = refusedByEpoch()
if refused then return refused end
local bytes, creator = segmentOf(epoch)
if bytes == nil then
  planGrowth(0, ARGV[4], ARGV[5])
  local denied = carryOut()
  if denied then return denied end
  -- A run that is finished expires as a whole.
  if state == 'c' then expireWithHead(chunkKey(epoch, 0)) end
  return { 'created', writes }
end
if creator == ARGV[4] and bytes == #ARGV[5] then return { 'created', writes } end
return { 'exists', writes }
