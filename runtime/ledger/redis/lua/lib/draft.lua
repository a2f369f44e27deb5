-- Items as a verb sees and changes them: the store's rows with its own changes on top, planned at the end by flush (L7). Counters change
-- in put and grant alone (L6).
--
-- An item is a table: s 1 running, 2 handed back, 3 done, 4 failed, 0 fresh; for 1 and 2 also its row w, a, e (worker number, attempt,
-- claim epoch), the row of a second attempt w2, a2, e2 or nil, last (attempt), its faults fa, de, su, cr, and its restores re.
-- open: it is kept as a bit in its range alone · stored: it has a row of its own in the hash.
--
-- Bits are in the order of SETBIT: item 0 of a word is its highest bit.

local band, bor, bxor, bnot, lshift, rshift = bit.band, bit.bor, bit.bxor, bit.bnot, bit.lshift, bit.rshift
local floor = math.floor
local FRESH, DONE_ITEM, FAILED_ITEM = { s = 0 }, { s = 3 }, { s = 4 }
local PAGE_ITEMS = 256

local changed = {}
local pages = {}
-- word of 32 items -> mask; sets adds bits, clears takes them away
local sets = { [3] = {}, [4] = {} }
local clears = { [3] = {}, [4] = {} }
local isChanged = false
local corrupt = nil

local function bitOf(index)
  return lshift(1, 31 - index % 32)
end

local function pageAt(number)
  local page = pages[number]
  if page then return page end
  local kept = redis.call('HGET', OPEN, number)
  if kept then
    local a, b, c, d, e, f, g, h = struct.unpack('>I4I4I4I4I4I4I4I4', kept)
    page = { [0] = a, b, c, d, e, f, g, h, tail = string.sub(kept, 33), isKept = true }
  else
    page = { [0] = 0, 0, 0, 0, 0, 0, 0, 0, tail = '' }
  end
  pages[number] = page
  return page
end

-- Worker number and claim epoch of the range that a position of a page lies in.
local function rangeAt(page, position)
  local tail = page.tail
  for at = 1, #tail, 10 do
    local from, less, worker, claimEpoch = struct.unpack('<BBI4I4', tail, at)
    if position >= from and position <= from + less then return worker, claimEpoch end
  end
end

local function unpackItem(kept)
  local flags, w, a, e, at = struct.unpack('<BI4I4I4', kept)
  local item = { s = flags % 4, w = w, a = a, e = e, last = a, fa = 0, de = 0, su = 0, cr = 0, re = 0, stored = true }
  if band(flags, 4) ~= 0 then item.w2, item.a2, item.e2, at = struct.unpack('<I4I4I4', kept, at) end
  if band(flags, 8) ~= 0 then item.last, at = struct.unpack('<I4', kept, at) end
  if band(flags, 16) ~= 0 then item.fa, item.de, item.su, item.cr, at = struct.unpack('<I4I4I4I4', kept, at) end
  if band(flags, 32) ~= 0 then item.re = struct.unpack('<I4', kept, at) end
  return item
end

local function packItem(item)
  local hasFaults = item.fa + item.de + item.su + item.cr > 0
  local flags = item.s + (item.w2 and 4 or 0) + (item.last ~= item.a and 8 or 0) + (hasFaults and 16 or 0) + (item.re > 0 and 32 or 0)
  local kept = struct.pack('<BI4I4I4', flags, item.w, item.a, item.e)
  if item.w2 then kept = kept .. struct.pack('<I4I4I4', item.w2, item.a2, item.e2) end
  if item.last ~= item.a then kept = kept .. struct.pack('<I4', item.last) end
  if hasFaults then kept = kept .. struct.pack('<I4I4I4I4', item.fa, item.de, item.su, item.cr) end
  if item.re > 0 then kept = kept .. struct.pack('<I4', item.re) end
  return kept
end

-- Words of the bitmaps as this script has found them: items that are asked for lie close together.
local words = { [3] = {}, [4] = {} }

local function wordAt(kind, word)
  local known = words[kind][word]
  if known then return known end
  local bytes = redis.call('GETRANGE', kind == 3 and DONE or FAILED, word * 4, word * 4 + 3)
  known = struct.unpack('>I4', bytes .. string.rep('\0', 4 - #bytes))
  words[kind][word] = known
  return known
end

local function isSet(kind, index)
  local word = floor(index / 32)
  return band(bor(wordAt(kind, word), sets[kind][word] or 0), bitOf(index)) ~= 0
end

local function itemAt(index)
  if index >= cursor then return FRESH end
  local item = changed[index]
  if item then return item end
  local page, position = pageAt(floor(index / PAGE_ITEMS)), index % PAGE_ITEMS
  if band(page[floor(position / 32)], bitOf(position)) ~= 0 then
    local worker, claimEpoch = rangeAt(page, position)
    return { s = 1, w = worker, a = 1, e = claimEpoch, last = 1, fa = 0, de = 0, su = 0, cr = 0, re = 0, open = true }
  end
  local kept = redis.call('HGET', ITEMS, index)
  if kept then return unpackItem(kept) end
  if isSet(3, index) then return DONE_ITEM end
  if isSet(4, index) then return FAILED_ITEM end
  corrupt = index
  return FRESH
end

local function count(kind, by)
  if kind == 1 then running = running + by
  elseif kind == 2 then handedBack = handedBack + by
  elseif kind == 3 then done = done + by
  elseif kind == 4 then failed = failed + by end
end

local function mark(marks, kind, index)
  local word = floor(index / 32)
  marks[kind][word] = bor(marks[kind][word] or 0, bitOf(index))
end

local function put(index, before, after)
  isChanged = true
  count(before.s, -1)
  count(after.s, 1)
  if before.open then
    local page, position = pageAt(floor(index / PAGE_ITEMS)), index % PAGE_ITEMS
    local word = floor(position / 32)
    page[word] = band(page[word], bnot(bitOf(position)))
    page.isChanged = true
  elseif before.s >= 3 then
    mark(clears, before.s, index)
  end
  if after.s >= 3 then
    mark(sets, after.s, index)
    after = { s = after.s, wasStored = before.stored }
  else
    if after.last > highest then highest = after.last end
    after.stored, after.open = true, nil
  end
  changed[index] = after
end

-- Bits `from` to `to` of a word.
local function spanOf(from, to)
  return band(rshift(-1, from), lshift(-1, 31 - to))
end

-- Hands out the next fresh items, all in one row: a range in each page, and its bits.
local function grant(amount, worker)
  if amount == 0 then return end
  isChanged = true
  local from, stop = cursor, cursor + amount
  while from < stop do
    local number = floor(from / PAGE_ITEMS)
    local upTo = math.min(stop, (number + 1) * PAGE_ITEMS)
    local page = pageAt(number)
    local first, last = from % PAGE_ITEMS, (upTo - 1) % PAGE_ITEMS
    for word = floor(first / 32), floor(last / 32) do
      local span = spanOf(math.max(first - word * 32, 0), math.min(last - word * 32, 31))
      page[word] = bor(page[word], span)
    end
    page.tail = page.tail .. struct.pack('<BBI4I4', first, last - first, worker, epoch)
    page.isChanged = true
    from = upTo
  end
  cursor = stop
  running = running + amount
  if highest < 1 then highest = 1 end
end

local function hasBits(page, from, to)
  for word = floor(from / 32), floor(to / 32) do
    if band(page[word], spanOf(math.max(from - word * 32, 0), math.min(to - word * 32, 31))) ~= 0 then return true end
  end
  return false
end

-- So many ranges may lie in a page before those without an open item are dropped.
local MANY_RANGES = 16

local function prunedTail(page)
  local tail = page.tail
  if #tail <= MANY_RANGES * 10 then return tail end
  local kept = {}
  for at = 1, #tail, 10 do
    local from, less = struct.unpack('<BB', tail, at)
    if hasBits(page, from, from + less) then kept[#kept + 1] = string.sub(tail, at, at + 9) end
  end
  return table.concat(kept)
end

-- A call takes so many arguments at most: Lua's stack is bounded.
local MANY_ARGUMENTS = 4000

local function planInParts(command, key, values)
  for at = 1, #values, MANY_ARGUMENTS do
    plan(command, key, unpack(values, at, math.min(at + MANY_ARGUMENTS - 1, #values)))
  end
end

local function flushPages()
  local kept, dropped = {}, {}
  for number, page in pairs(pages) do
    if page.isChanged then
      if bor(page[0], page[1], page[2], page[3], page[4], page[5], page[6], page[7]) ~= 0 then
        kept[#kept + 1] = number
        kept[#kept + 1] = struct.pack('>I4I4I4I4I4I4I4I4', page[0], page[1], page[2], page[3], page[4], page[5], page[6], page[7]) .. prunedTail(page)
      elseif page.isKept then
        dropped[#dropped + 1] = number
      end
    end
  end
  planInParts('HSET', OPEN, kept)
  planInParts('HDEL', OPEN, dropped)
end

local function flushItems()
  local kept, dropped = {}, {}
  for index, item in pairs(changed) do
    if item.s < 3 then
      kept[#kept + 1] = index
      kept[#kept + 1] = packItem(item)
    elseif item.wasStored then
      dropped[#dropped + 1] = index
    end
  end
  planInParts('HSET', ITEMS, kept)
  planInParts('HDEL', ITEMS, dropped)
end

-- A bit that is known to be clear is set by adding it to its word, and cleared by taking it away.
local function flushBits(kind, key)
  local adds = {}
  local function add(word, sign, mask)
    local at = #adds
    adds[at + 1], adds[at + 2], adds[at + 3], adds[at + 4] = 'INCRBY', 'u32', '#' .. word, sign * (mask % 4294967296)
  end
  for word, mask in pairs(sets[kind]) do add(word, 1, mask) end
  for word, mask in pairs(clears[kind]) do add(word, -1, mask) end
  planInParts('BITFIELD', key, adds)
end

local function flush(...)
  flushPages()
  flushItems()
  flushBits(3, DONE)
  flushBits(4, FAILED)
  putHead(...)
end

-- What stands there, for a refusal. Of an open item the row says all.
local function foundAt(index)
  local item = itemAt(index)
  if item.open then return { index, 1, item.w, 1, item.e } end
  if item.s == 1 or item.s == 2 then
    return { index, item.s, item.w, item.a, item.e, item.w2 or -1, item.a2 or 0, item.e2 or 0, item.last, item.fa, item.de, item.su, item.cr, item.re }
  end
  return { index, item.s }
end

local function isRow(item, w, a, e)
  return item.w == w and item.a == a and item.e == e
end

local function isSecond(item, w, a, e)
  return item.w2 == w and item.a2 == a and item.e2 == e
end

local function hasRow(item, w, a, e)
  return isRow(item, w, a, e) or isSecond(item, w, a, e)
end

local function copyOf(item)
  local copy = {}
  for key, value in pairs(item) do copy[key] = value end
  return copy
end

-- The item with a new row, the first or the second, of the next attempt (L9).
local function withNewRow(item, isFirst, worker)
  local after = copyOf(item)
  after.s, after.last = 1, item.last + 1
  if isFirst then
    after.w, after.a, after.e = worker, after.last, epoch
  else
    after.w2, after.a2, after.e2 = worker, after.last, epoch
  end
  return after
end

-- May this row still settle (L10, L11, L15)? 'l' live, 'r' recorded, 's' stale. Worker 0 is the coordinator, which may take a row's place.
local function judge(item, w, a, e)
  if item.s >= 3 then return 'r' end
  if item.s == 1 and hasRow(item, w, a, e) then return 'l' end
  if item.s == 2 and item.a == a and item.e == e and (item.w == w or w == 0) then return 'l' end
  return 's'
end

local function corruptReply()
  return { 'corrupt', corrupt }
end
