import type { Lease } from '../../model/lease.ts';

/** lua/lib/lease.lua: holder, epoch, renewals, untilMs, address, process; empty where there is no row. */
export type LeaseReply = readonly [] | readonly [string, number, number, number, string, string];

export function leaseOf(reply: LeaseReply): Lease | null {
  if (reply.length === 0) return null;
  const [holder, epoch, renewals, untilMs, address, identity] = reply;
  const parsed = { process: JSON.parse(identity) as Lease['process'] };
  return { holder, epoch, renewals, untilMs, address, ...parsed };
}
