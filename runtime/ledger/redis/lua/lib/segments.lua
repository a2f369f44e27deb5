-- Segments of the result log that are kept here (runtime/results/inline). The key of segments has the place's identity (place), which list
-- the run has (input), and for each epoch with a segment how many bytes it has and who created it. The bytes lie in chunks, each a key of its own that is named after it,
-- so that no script touches more than one of them. The server gives a string that grows up to a mebibyte more than it has, or as much again.

local CHUNK = 4194304

local function chunkKey(ofEpoch, number)
  return string.format('%s:%.0f:%.0f', SEGMENTS, ofEpoch, number)
end

-- Bytes and creator; nil where there is none.
local function segmentOf(ofEpoch)
  local kept = redis.call('HGET', SEGMENTS, ofEpoch)
  if not kept then return nil end
  local bytes, creator = string.match(kept, '^(%d+) (.+)$')
  return tonumber(bytes), creator
end

-- Adds to the end of the segment of this epoch what fits into its last chunk.
local function planGrowth(bytes, creator, added)
  if #added > 0 then plan('APPEND', chunkKey(epoch, math.floor(bytes / CHUNK)), added) end
  plan('HSET', SEGMENTS, epoch, string.format('%.0f %s', bytes + #added, creator))
  putHead()
end

-- Gives a key of a finished run the time that the others have left. Where it may not expire it is kept, as `finish` has it.
local function expireWithHead(key)
  local left = redis.pcall('PTTL', HEAD)
  if type(left) == 'number' and left > 0 then redis.pcall('PEXPIRE', key, left) end
end

local function keysOfRun()
  local keys = { unpack(KEYS) }
  local kept = redis.call('HGETALL', SEGMENTS)
  for at = 1, #kept, 2 do
    local ofEpoch, bytes = tonumber(kept[at]), tonumber(string.match(kept[at + 1], '^(%d+) '))
    if ofEpoch and bytes then
      for number = 0, math.floor((bytes - 1) / CHUNK) do keys[#keys + 1] = chunkKey(ofEpoch, number) end
    end
  end
  return keys
end
