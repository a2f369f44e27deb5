-- What an epoch has accepted: a count, and the exclusive or of a 64-bit hash of each outcome (L39); model/tally.ts has the same.

local function multiply(a, b)
  return ((floor(a / 65536) * b % 65536) * 65536 + a % 65536 * b) % 4294967296
end

local function spread(number)
  local mix = bxor(number, rshift(number, 16)) % 4294967296
  mix = multiply(mix, 0x85ebca6b)
  mix = bxor(mix, rshift(mix, 13)) % 4294967296
  mix = multiply(mix, 0xc2b2ae35)
  return bxor(mix, rshift(mix, 16))
end

local function mixed(seed, index, attempt)
  return spread(bxor(spread(multiply((index + 1) % 4294967296, seed)), multiply(attempt, seed)))
end

local accepted, low, high = 0, 0, 0

local function accept(index, attempt)
  accepted = accepted + 1
  low = bxor(low, mixed(0x9e3779b1, index, attempt))
  high = bxor(high, mixed(0x85ebca77, index, attempt))
end

local function flushTally()
  if accepted == 0 then return end
  local kept = redis.call('HGET', TALLIES, epoch)
  local before, keptLow, keptHigh = 0, 0, 0
  if kept then before, keptLow, keptHigh = struct.unpack('<I4I4I4', kept) end
  plan('HSET', TALLIES, epoch, struct.pack('<I4I4I4', before + accepted, bxor(keptLow, low), bxor(keptHigh, high)))
end
