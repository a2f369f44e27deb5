#!lua
-- Lets handed-back items run again in the rows that were taken from them last (L44).
--
-- ARGV   4 rows: worker u16 · index · attempt · claim epoch · restores as the caller knows them, each u32 · 5 and on: names
-- Reply: {'restored', writes, {{1} or {0, what is there}, ...}}
--@include head
--@include draft
--@include names

local refused = refusedByEpoch() or goneFor(false)
if refused then return refused end
readNames(5)

local function restore(index, worker, a, e, restores)
  local item, w = itemAt(index), numbers[worker]
  if item.s == 1 and hasRow(item, w, a, e) and item.re == restores + 1 then return { 1 } end
  if item.s ~= 2 or not isRow(item, w, a, e) or item.re ~= restores or not isRegistered[worker] then return { 0, foundAt(index) } end
  local after = copyOf(item)
  after.s, after.re = 1, restores + 1
  put(index, item, after)
  return { 1 }
end

local verdicts, at = {}, 1
while at <= #ARGV[4] do
  local worker, index, a, e, restores
  worker, index, a, e, restores, at = struct.unpack('<I2I4I4I4I4', ARGV[4], at)
  verdicts[#verdicts + 1] = restore(index, worker, a, e, restores)
end
if corrupt then return corruptReply() end
if isChanged then flush() end
return carryOut() or { 'restored', writes, verdicts }
