#!lua flags=no-writes
-- Which of the commands that the other scripts give the user of the run may not give on its keys, and which the server does not have under
-- this name (rename-command). Nothing is read or written.
--
-- KEYS   those of the run (lib/head.lua)
-- Reply: {names of commands that may not be given, names that are not known}

local key = KEYS[1]
local calls = {
  { 'APPEND', key, '' },
  { 'BITFIELD', key, 'INCRBY', 'u32', '#0', '1' },
  { 'EVALSHA', '0', '0' },
  { 'GETRANGE', key, '0', '0' },
  { 'HDEL', key, '0' },
  { 'HGET', key, '0' },
  { 'HGETALL', key },
  { 'HMGET', key, '0' },
  { 'HSCAN', key, '0' },
  { 'HSET', key, '0', '0' },
  { 'INFO' },
  { 'PERSIST', key },
  { 'PEXPIRE', key, '1' },
  { 'PTTL', key },
  { 'STRLEN', key },
  { 'TIME' },
}
local denied, unknown = {}, {}
for _, call in ipairs(calls) do
  local isKnown, isAllowed = pcall(redis.acl_check_cmd, unpack(call))
  if not isKnown then unknown[#unknown + 1] = call[1] elseif not isAllowed then denied[#denied + 1] = call[1] end
end
return { denied, unknown }
