#!lua
-- The identity of this place of the result log, made at first use (L22).
--
-- ARGV   4 the identity where there is none yet
-- Reply: {'opened', writes, identity}
--@include head

local refused = refusedByEpoch()
if refused then return refused end
local kept = redis.call('HGET', SEGMENTS, 'place')
if kept then return { 'opened', writes, kept } end
plan('HSET', SEGMENTS, 'place', ARGV[4])
putHead()
return carryOut() or { 'opened', writes, ARGV[4] }
