#!lua
-- Gives rows to other workers, each named in full (L12, L32).
--
-- ARGV   4 moves: worker u16 · index · attempt · claim epoch, each u32 · target u16 · 5 and on: names
-- Reply: {'reassigned', writes, {{1, attempt} or {0, what is there}, ...}}
--@include head
--@include draft
--@include names

local refused = refusedByEpoch() or goneFor(true)
if refused then return refused end
readNames(5)

local function move(index, w, a, e, target)
  local item, to = itemAt(index), numbers[target]
  if item.s ~= 1 then return { 0, foundAt(index) } end
  if not hasRow(item, w, a, e) then
    -- Asked again after a lost reply: the row that this move wrote is there, and no attempt came after it.
    if hasRow(item, to, item.last, epoch) then return { 1, item.last } end
    return { 0, foundAt(index) }
  end
  if item.w == to or item.w2 == to or not isRegistered[target] then return { 0, foundAt(index) } end
  local after = withNewRow(item, isRow(item, w, a, e), to)
  put(index, item, after)
  return { 1, after.last }
end

local verdicts, at = {}, 1
while at <= #ARGV[4] do
  local worker, index, a, e, target
  worker, index, a, e, target, at = struct.unpack('<I2I4I4I4I2', ARGV[4], at)
  verdicts[#verdicts + 1] = move(index, numbers[worker], a, e, target)
end
if corrupt then return corruptReply() end
if isChanged then flush() end
return carryOut() or { 'reassigned', writes, verdicts }
