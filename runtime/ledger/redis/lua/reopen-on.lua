#!lua
-- Carries out the next part of a reopening that is decided (L45), this coordinator's or an earlier one's.
--
-- Replies: {'decided', writes} more parts are left · {'reopened', writes} none is
--@include head
--@include draft

local refused = refusedByStore()
if refused then return refused end
if not reopening then return { 'reopened', writes } end

-- The rows are of the epoch that decided it, all with one attempt.
local claimEpoch, attempt, parts, part, at = struct.unpack('<I4I4I4I4', reopening)
local list = redis.call('HGET', REOPENING, part)
if not list then return { 'bug', 'a part of a reopening is kept until it is carried out (L45)' } end
local pending = struct.unpack('<I4', list)
for number = 1, #list / 4 - 1 do
  local index = struct.unpack('<I4', list, number * 4 + 1)
  local before = isSet(3, index) and DONE_ITEM or FAILED_ITEM
  put(index, before, { s = number <= pending and 2 or 1, w = 0, a = attempt, e = claimEpoch, last = attempt, fa = 0, de = 0, su = 0, cr = 0, re = 0 })
end
plan('HDEL', REOPENING, part)
local tallies = string.sub(reopening, at)
if part + 1 < parts then
  flush('o', struct.pack('<I4I4I4I4', claimEpoch, attempt, parts, part + 1) .. tallies)
  return carryOut() or { 'decided', writes }
end
local changes = {}
for from = 1, #tallies, 16 do
  changes[#changes + 1] = (struct.unpack('<I4', tallies, from))
  changes[#changes + 1] = string.sub(tallies, from + 4, from + 15)
end
planInParts('HSET', TALLIES, changes)
plan('HDEL', HEAD, 'o')
flush()
return carryOut() or { 'reopened', writes }
