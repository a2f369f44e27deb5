import type { RedisAccess } from '../../../operator/rollout/redis-access.ts';

/** A server whose Secret has everything that one may have. */
export const REDIS: RedisAccess = {
  url: 'rediss://redis.team.svc:6380/2',
  secretName: 'redis',
  hasPassword: true,
  hasAuthority: true,
  hasCertificate: true,
  sentinelUsername: null,
  hasSentinelPassword: false,
  hasSentinelAuthority: false,
};
