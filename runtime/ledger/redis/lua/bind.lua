#!lua
-- Records the results place at first use (L22).
--
-- ARGV   4 place
-- Replies: {'bound', writes} · {'elsewhere', writes, place}
--@include head

local refused = refusedByEpoch()
if refused then return refused end
if place then
  if place == ARGV[4] then return { 'bound', writes } end
  return { 'elsewhere', writes, place }
end
putHead('p', ARGV[4])
return carryOut() or { 'bound', writes }
