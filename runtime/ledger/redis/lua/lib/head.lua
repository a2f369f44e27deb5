-- The head of the run, and the check that every verb under an epoch begins with (L5, L40).
--
-- KEYS   1 head · 2 lease · 3 open · 4 items · 5 done · 6 failed · 7 workers · 8 tallies · 9 reopening · 10 segments, all under one hash tag
-- ARGV   1 epoch of the caller · 2 identity of the store that it has seen, '' for none · 3 number of writes that it has seen
--
-- Refusals: {'fenced', epoch} · {'behind', epoch or -1} the store knows no such epoch · {'replaced'} it is another one than the caller's
-- {'lost', writes} it lacks writes that the caller has seen · {'gone', state, reason} · {'overtaken'} · {'bug', what} a mistake of the caller
-- {'format', there, here} another version's run · {'denied', command, key} the user may not write that; nothing was written · {'reopening', writes} a reopening is carried out first (L45)

local HEAD, LEASE, OPEN, ITEMS, DONE, FAILED, WORKERS, TALLIES, REOPENING, SEGMENTS = unpack(KEYS)

-- Grows with every change of keys or packed rows.
local FORMAT = '2'

-- f: format · n: the packed counters (codec.ts) · w: writes so far · i: identity · s: state · p: place · o: a reopening that is decided (reopen.lua)
-- r: how often an item was handed out again that had begun; not there before the first
local raw = redis.call('HMGET', HEAD, 'n', 'w', 'i', 's', 'p', 'o', 'f', 'r')
if raw[7] and raw[7] ~= FORMAT then return { 'format', raw[7], FORMAT } end
local epoch = -1
local cursor, running, handedBack, done, failed, workerNumbers, highest = 0, 0, 0, 0, 0, 0, 0
if raw[1] then
  epoch, cursor, running, handedBack, done, failed, workerNumbers, highest = struct.unpack('<I4I4I4I4I4I4I4I4', raw[1])
end
local writes = tonumber(raw[2] or 0)
local identity = raw[3] or ''
local place = raw[5]
local reopening = raw[6]
local redone = tonumber(raw[8] or 0)
local redoneBefore = redone

-- state: r running, p paused, c completed; the stamp of the request that wrote it (L38)
local state, stateEpoch, stateSerial, reason = 'r', -1, 0, ''
if raw[4] then
  local at
  state, stateEpoch, stateSerial, at = struct.unpack('<c1I4I4', raw[4])
  reason = string.sub(raw[4], at)
end

local function refusedByStore()
  local asked = tonumber(ARGV[1])
  if epoch < asked then return { 'behind', epoch } end
  if epoch > asked then return { 'fenced', epoch } end
  if ARGV[2] ~= '' and ARGV[2] ~= identity then return { 'replaced' } end
  if ARGV[2] ~= '' and tonumber(ARGV[3]) > writes then return { 'lost', writes } end
  return nil
end

local function refusedByEpoch()
  return refusedByStore() or (reopening and { 'reopening', writes }) or nil
end

-- While paused, what gives items to workers is gone; after the end everything that writes (L16).
local function goneFor(isClaim)
  if state == 'c' or (isClaim and state == 'p') then return { 'gone', state, reason } end
  return nil
end

-- Where a stamped request stands after the one that wrote last: 'new', 'repeated' or 'overtaken' (L38).
local function orderOf(lastEpoch, lastSerial, serial)
  if lastEpoch < epoch then return 'new' end
  if lastSerial == serial then return 'repeated' end
  return lastSerial < serial and 'new' or 'overtaken'
end

-- A script that is refused a command half way keeps what it has written until then. So a verb plans its writes, and carries them out at its
-- end, once it is known that none of them can be refused: by the access list, for the type of its key, or for the length of a bitmap.
local planned = {}

local function plan(command, key, ...)
  planned[#planned + 1] = { command, key, ... }
end

-- The access list judges a command by its key, which is among the first arguments. A command that the server does not have is an error there.
local FIRST_ARGUMENTS = 6

local function isAllowed(call)
  local isKnown, isGiven = pcall(redis.acl_check_cmd, unpack(call, 1, math.min(#call, FIRST_ARGUMENTS)))
  return isKnown and isGiven
end

-- Ends the script where the key cannot be written in this way.
local function tryKey(command, key)
  if command == 'BITFIELD' then
    redis.call(command, key, 'GET', 'u32', '#' .. math.floor((cursor - 1) / 32))
  elseif command == 'APPEND' then
    redis.call('STRLEN', key)
  else
    redis.call('HGET', key, '')
  end
end

-- nil where all was written, else the refusal.
local function carryOut()
  for _, call in ipairs(planned) do
    if not isAllowed(call) then return { 'denied', call[1], call[2] } end
  end
  for _, call in ipairs(planned) do tryKey(call[1], call[2]) end
  for _, call in ipairs(planned) do redis.call(unpack(call)) end
  return nil
end

local function putHead(...)
  writes = writes + 1
  local counters = struct.pack('<I4I4I4I4I4I4I4I4', epoch, cursor, running, handedBack, done, failed, workerNumbers, highest)
  plan('HSET', HEAD, 'n', counters, 'w', string.format('%.0f', writes), ...)
  if redone ~= redoneBefore then plan('HSET', HEAD, 'r', string.format('%.0f', math.min(redone, 4294967295))) end
end

local function packState(kind, serial, why)
  return struct.pack('<c1I4I4', kind, epoch, serial) .. why
end
