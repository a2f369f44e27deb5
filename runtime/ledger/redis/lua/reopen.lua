#!lua
-- Takes back what is recorded of some items: all of them or none (L45). Stamped (L38).
--
-- ARGV   4 serial · 5 items to be claimed again, 6 items of the coordinator's own: u32 each · 7 tallies as they will be: epoch · count · low ·
--        high, each u32
-- Reply: {'reopened', writes} · {'refused', writes, {what is there, ...}}
--@include head
--@include draft

local refused = refusedByEpoch()
if refused then return refused end
local serial = tonumber(ARGV[4])
local order = orderOf(stateEpoch, stateSerial, serial)
if order ~= 'new' then return { order == 'repeated' and 'reopened' or 'overtaken', writes } end

local found = {}
local function eachOf(blob, take)
  for at = 1, #blob, 4 do take((struct.unpack('<I4', blob, at))) end
end
local function requireRecorded(index)
  if itemAt(index).s < 3 then found[#found + 1] = foundAt(index) end
end
eachOf(ARGV[5], requireRecorded)
eachOf(ARGV[6], requireRecorded)
if corrupt then return corruptReply() end
if #found > 0 then return { 'refused', writes, found } end

if highest >= 4294967295 then return { 'bug', 'an attempt number fits in 32 bits (L9)' } end
local attempt = highest + 1
local function reopenAs(kind)
  return function(index)
    put(index, itemAt(index), { s = kind, w = 0, a = attempt, e = epoch, last = attempt, fa = 0, de = 0, su = 0, cr = 0 })
  end
end
eachOf(ARGV[5], reopenAs(2))
eachOf(ARGV[6], reopenAs(1))

local counts, total, tallies = {}, 0, redis.call('HGETALL', TALLIES)
for at = 1, #tallies, 2 do counts[tallies[at]] = (struct.unpack('<I4', tallies[at + 1])) end
local changes = {}
for at = 1, #ARGV[7], 16 do
  local of = struct.unpack('<I4', ARGV[7], at)
  local value = string.sub(ARGV[7], at + 4, at + 15)
  local amount = struct.unpack('<I4', value)
  if counts[tostring(of)] or value ~= string.rep('\0', 12) then
    counts[tostring(of)] = amount
    changes[#changes + 1], changes[#changes + 2] = of, value
  end
end
for _, amount in pairs(counts) do total = total + amount end
if total ~= done + failed then return { 'bug', 'the tallies count what stays recorded (L39)' } end
planInParts('HSET', TALLIES, changes)
flush('s', packState(state == 'c' and 'r' or state, serial, state == 'p' and reason or ''))
return carryOut() or { 'reopened', writes }
