#!lua flags=no-writes
-- The identity of this place of the result log, and how many bytes each of its segments has, for who reads a run without its epoch.
--
-- Reply: {'seen', {field, value, ...}}, the fields of lib/segments.lua
--@include head

return { 'seen', redis.call('HGETALL', SEGMENTS) }
