import type * as z from 'zod';
import { durationMs, intervalMs } from '../base/config/settings-fields.ts';
import { DEFAULT_TIMING, defaultRenewIntervalMs, type Timing } from './timing.ts';

/** The times of a settings file that coordinator and worker have in common, in milliseconds once read. */
export type SharedTiming = Readonly<
  Record<'heartbeatInterval' | 'coordinatorFailureTimeout' | 'workerSelfFenceTimeout' | 'clockSkewBudget' | 'pollWait', number>
>;

export const SHARED_TIMING: Readonly<Record<keyof SharedTiming, z.ZodDefault<z.ZodType<number>>>> = {
  heartbeatInterval: intervalMs().default(DEFAULT_TIMING.heartbeatIntervalMs),
  coordinatorFailureTimeout: intervalMs().default(DEFAULT_TIMING.coordinatorFailureTimeoutMs),
  workerSelfFenceTimeout: intervalMs().default(DEFAULT_TIMING.workerSelfFenceTimeoutMs),
  clockSkewBudget: durationMs().default(DEFAULT_TIMING.clockSkewBudgetMs),
  pollWait: intervalMs().default(DEFAULT_TIMING.pollWaitMs),
};

/** The lease is renewed in a third of the failure timeout where the file does not say otherwise. */
export function timingOf(read: SharedTiming, leaseRenewIntervalMs?: number): Timing {
  return {
    heartbeatIntervalMs: read.heartbeatInterval,
    coordinatorFailureTimeoutMs: read.coordinatorFailureTimeout,
    workerSelfFenceTimeoutMs: read.workerSelfFenceTimeout,
    clockSkewBudgetMs: read.clockSkewBudget,
    leaseRenewIntervalMs: leaseRenewIntervalMs ?? defaultRenewIntervalMs(read.coordinatorFailureTimeout),
    pollWaitMs: read.pollWait,
  };
}
