#!lua
-- Takes back what is recorded of some items: all of them or none (L45). Their list comes in parts, which are kept aside. The last part decides
-- it, and from then on it is carried out, part by part (reopen-on.lua), before anything else of the run. Stamped (L38).
--
-- ARGV   4 serial · 5 number of the part, from 0 · 6 items to be claimed again, 7 items of the coordinator's own: u32 each
--        8 '1' where it is the last · 9 tallies as they will be: epoch · count · low · high, each u32
-- Replies: {'staged', writes, number of the part that is expected next} · {'refused', writes, {what is there, ...}}
--        {'decided', writes} · {'reopened', writes} it was carried out before
--@include head
--@include draft
--@include segments

local refused = refusedByStore()
if refused then return refused end
local serial, part = tonumber(ARGV[4]), tonumber(ARGV[5])
local order = orderOf(stateEpoch, stateSerial, serial)
if order == 'overtaken' then return { 'overtaken', writes } end
if order == 'repeated' then return { reopening and 'decided' or 'reopened', writes } end
if reopening then return { 'reopening', writes } end

-- g: stamp, number of parts and of items of the list that is kept aside
local staged = redis.call('HGET', HEAD, 'g')
local stagedEpoch, stagedSerial, parts, items = -1, 0, 0, 0
if staged then
  stagedEpoch, stagedSerial, parts, items = struct.unpack('<I4I4I4I4', staged)
end

local function dropStaged()
  if not staged then return end
  local dropped = {}
  for number = 0, parts - 1 do dropped[#dropped + 1] = number end
  planInParts('HDEL', REOPENING, dropped)
  plan('HDEL', HEAD, 'g')
end

order = orderOf(stagedEpoch, stagedSerial, serial)
if order == 'overtaken' then return { 'overtaken', writes } end
if order == 'new' then
  dropStaged()
  parts, items = 0, 0
end
if part ~= parts then return { 'staged', writes, parts } end

local found = {}
local function requireRecorded(list)
  for at = 1, #list, 4 do
    local index = struct.unpack('<I4', list, at)
    if not (isSet(3, index) or isSet(4, index)) then found[#found + 1] = foundAt(index) end
  end
end
requireRecorded(ARGV[6])
requireRecorded(ARGV[7])
if corrupt then return corruptReply() end
if #found > 0 then
  if order == 'repeated' then dropStaged() end
  if #planned > 0 then putHead() end
  return carryOut() or { 'refused', writes, found }
end

-- Before the first write: a run that goes on never expires, and no part of its list is lost before the last one comes.
for _, key in ipairs(keysOfRun()) do redis.call('PERSIST', key) end
parts, items = parts + 1, items + (#ARGV[6] + #ARGV[7]) / 4
plan('HSET', REOPENING, part, struct.pack('<I4', #ARGV[6] / 4) .. ARGV[6] .. ARGV[7])
if ARGV[8] ~= '1' then
  putHead('g', struct.pack('<I4I4I4I4', epoch, serial, parts, items))
  return carryOut() or { 'staged', writes, parts }
end

if highest >= 4294967295 then return { 'bug', 'an attempt number fits in 32 bits (L9)' } end
local counts, total, tallies = {}, 0, redis.call('HGETALL', TALLIES)
for at = 1, #tallies, 2 do counts[tallies[at]] = (struct.unpack('<I4', tallies[at + 1])) end
local changes = {}
for at = 1, #ARGV[9], 16 do
  local of, amount = struct.unpack('<I4I4', ARGV[9], at)
  local isNothing = string.sub(ARGV[9], at + 4, at + 15) == string.rep('\0', 12)
  if counts[tostring(of)] or not isNothing then
    counts[tostring(of)] = amount
    changes[#changes + 1] = string.sub(ARGV[9], at, at + 15)
  end
end
for _, amount in pairs(counts) do total = total + amount end
if total ~= done + failed - items then return { 'bug', 'the tallies count what stays recorded (L39)' } end
if staged then plan('HDEL', HEAD, 'g') end
local decided = struct.pack('<I4I4I4I4', epoch, highest + 1, parts, 0) .. table.concat(changes)
putHead('o', decided, 's', packState(state == 'c' and 'r' or state, serial, state == 'p' and reason or ''))
return carryOut() or { 'decided', writes }
