#!lua
-- Which list the run has, written down at first use, and again where it has grown: coordinators that share no directory know it by this.
--
-- ARGV   4 the list · 5 what is there and may be replaced by it, '' for nothing
-- Replies: {'bound', writes} · {'differs', writes, what is there}
--@include head

local refused = refusedByEpoch()
if refused then return refused end
local kept = redis.call('HGET', SEGMENTS, 'input')
if kept == ARGV[4] then return { 'bound', writes } end
if (kept or '') ~= ARGV[5] then return { 'differs', writes, kept or '' } end
plan('HSET', SEGMENTS, 'input', ARGV[4])
putHead()
return carryOut() or { 'bound', writes }
