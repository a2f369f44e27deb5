#!lua
-- Settlements, hand-backs and claims, judged in this order, each on top of those before it (L7, L8, L10 to L15, L39).
--
-- ARGV   4 settlements: worker u16 · isResult u8 · attempt · claim epoch · word of 32 items · mask · low · high, each u32
--        5 hand-backs: worker u16 · index · attempt · claim epoch, each u32 · counter u8 (0 none, 1 failures, 2 suspicions, 3 crashes)
--          delayMs · restores as the caller knows them, each u32
--        6 claims: worker u16 · picks u16, and for each pick: kind u8 (0 cursor, 1 index, 2 index of an item that had begun) · u32 · u32
--        7 and on: names of workers, which the others name by their place
-- low and high are the exclusive or of the hashes of all items of the mask.
-- Reply: {'committed', writes, settlements, hand-backs, claims, reason}
--        a settlement: 1 all were accepted, or a letter for each bit of the mask in the order of items: a accepted, r recorded, s stale
--        a hand-back: {1, last attempt, failures, delayMs, suspicions, crashes, restores, worker, attempt, claim epoch of the row that runs on;
--        worker -1: none} or {0, what is there} · a claim: {cursor, {from, count, attempt, ...}, {what is there, ...}} · claims is 0 while paused
--@include head
--@include draft
--@include names
--@include tally

local refused = refusedByEpoch() or goneFor(false)
if refused then return refused end
if ARGV[6] ~= '' and not place then return { 'bug', 'a claim before the results place is bound (L22)' } end
readNames(7)

-- The items of a mask that are open in ranges of this worker and claim epoch, at once.
local function openAmong(page, word, mask, worker, claimEpoch)
  local open = band(page[word], mask)
  if open == 0 then return 0 end
  local own, tail, base = 0, page.tail, word * 32
  for at = 1, #tail, 10 do
    local from, less, w, e = struct.unpack('<BBI4I4', tail, at)
    if w == worker and e == claimEpoch then
      local first, last = from - base, from + less - base
      if first < 32 and last >= 0 then
        own = bor(own, spanOf(first > 0 and first or 0, last < 31 and last or 31))
      end
    end
  end
  return band(open, own)
end

-- How many bits of 32 are set.
local function onesOf(mask)
  local sum = band(mask, 0x55555555) + band(rshift(mask, 1), 0x55555555)
  sum = band(sum, 0x33333333) + band(rshift(sum, 2), 0x33333333)
  sum = band(sum, 0x0f0f0f0f) + band(rshift(sum, 4), 0x0f0f0f0f)
  return floor(sum * 0x01010101 / 16777216) % 256
end

local function settleOne(index, w, a, e, isResult)
  local item = itemAt(index)
  local verdict = judge(item, w, a, e)
  if verdict ~= 'l' then return verdict end
  put(index, item, isResult == 1 and DONE_ITEM or FAILED_ITEM)
  accept(index, a)
  return 'a'
end

local function settleEach(taken, mask, word, w, a, e, isResult)
  local said = {}
  for position = 0, 31 do
    local own = lshift(1, 31 - position)
    if band(taken, own) ~= 0 then
      accept(word * 32 + position, a)
      said[#said + 1] = 'a'
    elseif band(mask, own) ~= 0 then
      said[#said + 1] = settleOne(word * 32 + position, w, a, e, isResult)
    end
  end
  return table.concat(said)
end

local function settle(w, isResult, a, e, word, mask, maskLow, maskHigh)
  local taken = 0
  if a == 1 and word * 32 < cursor then
    local page = pageAt(floor(word / 8))
    local within = word % 8
    taken = openAmong(page, within, mask, w, e)
    if taken ~= 0 then
      page[within] = band(page[within], bnot(taken))
      page.isChanged, isChanged = true, true
      local kind = isResult == 1 and 3 or 4
      sets[kind][word] = bor(sets[kind][word] or 0, taken)
      local ones = onesOf(taken)
      running = running - ones
      count(kind, ones)
      if taken == bit.tobit(mask) then
        accepted = accepted + ones
        low, high = bxor(low, maskLow), bxor(high, maskHigh)
        return 1
      end
    end
  end
  return settleEach(taken, mask, word, w, a, e, isResult)
end

local settled, at = {}, 1
local blob = ARGV[4]
while at <= #blob do
  local worker, isResult, a, e, word, mask, maskLow, maskHigh
  worker, isResult, a, e, word, mask, maskLow, maskHigh, at = struct.unpack('<I2BI4I4I4I4I4I4', blob, at)
  settled[#settled + 1] = settle(numbers[worker], isResult, a, e, word, mask, maskLow, maskHigh)
end

local function returned(item, w, a, e)
  return { 1, item.last, item.fa, item.de, item.su, item.cr, item.re, w or -1, a or 0, e or 0 }
end

local function handBack(index, w, a, e, counter, delayMs, restores)
  local item = itemAt(index)
  if item.s == 2 and isRow(item, w, a, e) and item.re == restores then return returned(item) end
  if item.s ~= 1 or not hasRow(item, w, a, e) or item.re ~= restores then return { 0, foundAt(index) } end
  local after = copyOf(item)
  after.de = delayMs
  if counter == 1 then after.fa = after.fa + 1 elseif counter == 2 then after.su = after.su + 1 elseif counter == 3 then after.cr = after.cr + 1 end
  if not item.w2 then
    after.s = 2
    put(index, item, after)
    return returned(after)
  end
  if isRow(item, w, a, e) then after.w, after.a, after.e = item.w2, item.a2, item.e2 end
  after.w2, after.a2, after.e2 = nil, nil, nil
  put(index, item, after)
  return returned(after, after.w, after.a, after.e)
end

local handedBackReplies = {}
blob, at = ARGV[5], 1
while at <= #blob do
  local worker, index, a, e, counter, delayMs, restores
  worker, index, a, e, counter, delayMs, restores, at = struct.unpack('<I2I4I4I4BI4I4', blob, at)
  handedBackReplies[#handedBackReplies + 1] = handBack(index, numbers[worker], a, e, counter, delayMs, restores)
end

local function claimFresh(worker, from, amount, granted, found)
  if from ~= cursor or not isRegistered[worker] then
    for index = from, math.min(from + amount, cursor) - 1 do found[#found + 1] = foundAt(index) end
  elseif amount > 0 then
    granted[#granted + 1], granted[#granted + 2], granted[#granted + 3] = from, amount, 1
    grant(amount, numbers[worker])
  end
end

local function claimHandedBack(worker, index, last, isRedone, granted, found)
  local item = itemAt(index)
  if item.s ~= 2 or item.last ~= last or not isRegistered[worker] then
    found[#found + 1] = foundAt(index)
    return
  end
  local after = withNewRow(item, true, numbers[worker])
  put(index, item, after)
  if isRedone then redone = redone + 1 end
  granted[#granted + 1], granted[#granted + 2], granted[#granted + 3] = index, 1, after.last
end

local claimed = {}
blob, at = ARGV[6], 1
while at <= #blob and state ~= 'p' do
  local worker, picks
  worker, picks, at = struct.unpack('<I2I2', blob, at)
  local granted, found = {}, {}
  for _ = 1, picks do
    local kind, a, b
    kind, a, b, at = struct.unpack('<BI4I4', blob, at)
    if kind == 0 then claimFresh(worker, a, b, granted, found) else claimHandedBack(worker, a, b, kind == 2, granted, found) end
  end
  claimed[#claimed + 1] = { cursor, granted, found }
end

if corrupt then return corruptReply() end
if isChanged then
  flushTally()
  flush()
end
return carryOut() or { 'committed', writes, settled, handedBackReplies, state == 'p' and 0 or claimed, reason }
