#!lua flags=no-writes
-- A page of one of the keys, under the epoch: a scan is several of these, of one and the same state of the store.
--
-- ARGV   4 what: open, items, workers or tallies by HSCAN; done or failed by GETRANGE; head · 5 where to go on · 6 how much
-- Reply: {'page', writes, where to go on or '0', content}
--@include head

local refused = refusedByEpoch()
if refused then return refused end
local HASHES = { open = OPEN, items = ITEMS, workers = WORKERS, tallies = TALLIES }
local BITMAPS = { done = DONE, failed = FAILED }
local what, from, amount = ARGV[4], ARGV[5], tonumber(ARGV[6])
if HASHES[what] then
  local page = redis.call('HSCAN', HASHES[what], from, 'COUNT', amount)
  return { 'page', writes, page[1], page[2] }
end
if BITMAPS[what] then
  local first = tonumber(from)
  local bytes = redis.call('GETRANGE', BITMAPS[what], first, first + amount - 1)
  return { 'page', writes, #bytes < amount and '0' or tostring(first + amount), { bytes } }
end
return { 'page', writes, '0', { raw[1] or '', raw[4] or '', place or '', raw[8] or '' } }
