#!lua flags=no-writes
-- Bytes of one chunk of a segment; fewer where it ends.
--
-- ARGV   4 epoch · 5 number of the chunk · 6 first byte · 7 last byte
-- Reply: {'seen', bytes}
--@include head
--@include segments

return { 'seen', redis.call('GETRANGE', chunkKey(tonumber(ARGV[4]), tonumber(ARGV[5])), ARGV[6], ARGV[7]) }
