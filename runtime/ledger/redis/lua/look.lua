#!lua flags=no-writes
-- May these attempts still settle (L29)?
--
-- ARGV   4 rows: worker u16 · index · attempt · claim epoch, each u32 · 5 and on: names
-- Reply: {'looked', writes, a letter for each: l live, r recorded, s stale}
--@include head
--@include draft
--@include names

local refused = refusedByEpoch()
if refused then return refused end
readNames(5)
local said, at = {}, 1
while at <= #ARGV[4] do
  local worker, index, a, e
  worker, index, a, e, at = struct.unpack('<I2I4I4I4', ARGV[4], at)
  said[#said + 1] = judge(itemAt(index), numbers[worker], a, e)
end
if corrupt then return corruptReply() end
return { 'looked', writes, table.concat(said) }
