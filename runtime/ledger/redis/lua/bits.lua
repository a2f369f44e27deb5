#!lua flags=no-writes
-- Bytes of both bitmaps at one moment. ARGV 4 first byte · 5 last byte. Reply: {done, failed}
return { redis.call('GETRANGE', KEYS[5], ARGV[4], ARGV[5]), redis.call('GETRANGE', KEYS[6], ARGV[4], ARGV[5]) }
