#!lua flags=no-writes
-- What was accepted under each epoch (L39), for who reads a run without its epoch.
--
-- Reply: {'tallies', {epoch, packed tally, ...}}
--@include head

return { 'tallies', redis.call('HGETALL', TALLIES) }
