#!lua
-- Gives running items a second row, on another worker (L13). The last attempt is named, so a late request gives no third (L38).
--
-- ARGV   4 items: worker u16 · index · attempt · claim epoch · last attempt, each u32 · 5 the worker that gets them, 6 and on: names
-- Reply: {'second-attempts', writes, {{1, attempt} or {0, what is there}, ...}}
--@include head
--@include draft
--@include names

local refused = refusedByEpoch() or goneFor(true)
if refused then return refused end
readNames(5)
local target = numbers[1]

local function second(index, w, a, e, last)
  local item = itemAt(index)
  if item.s ~= 1 or not isRow(item, w, a, e) then return { 0, foundAt(index) } end
  if item.w2 then
    if isSecond(item, target, last + 1, epoch) then return { 1, last + 1 } end
    return { 0, foundAt(index) }
  end
  if item.w == target or not isRegistered[1] or item.last ~= last then return { 0, foundAt(index) } end
  local after = withNewRow(item, false, target)
  put(index, item, after)
  return { 1, after.last }
end

local verdicts, at = {}, 1
while at <= #ARGV[4] do
  local worker, index, a, e, last
  worker, index, a, e, last, at = struct.unpack('<I2I4I4I4I4', ARGV[4], at)
  verdicts[#verdicts + 1] = second(index, numbers[worker], a, e, last)
end
if corrupt then return corruptReply() end
if isChanged then flush() end
return carryOut() or { 'second-attempts', writes, verdicts }
