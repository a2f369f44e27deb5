-- Numbers of workers, and whether each is registered (L9, L31). A worker's value: number, stamp (epoch, serial), registration or nothing.

local numbers, isRegistered = {}, {}

local function readNames(first)
  if first > #ARGV then return end
  local kept = redis.call('HMGET', WORKERS, unpack(ARGV, first))
  for at = 1, #kept do
    if ARGV[first + at - 1] == 'coordinator' then
      numbers[at], isRegistered[at] = 0, true
    elseif kept[at] then
      numbers[at], isRegistered[at] = struct.unpack('<I4', kept[at]), #kept[at] > 12
    else
      numbers[at], isRegistered[at] = -1, false
    end
  end
end
