#!lua flags=no-writes
-- Bytes of both bitmaps at one moment.
--
-- ARGV   4 first byte · 5 last byte
-- Reply: {'bits', done, failed}
--@include head

return { 'bits', redis.call('GETRANGE', DONE, ARGV[4], ARGV[5]), redis.call('GETRANGE', FAILED, ARGV[4], ARGV[5]) }
