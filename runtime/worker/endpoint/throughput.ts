/**
 * How much an endpoint carries, by Little's law: items in flight = rate x time in the system. With `rate` results per second while it
 * is busy, an item that arrives as the n-th in flight is answered after n / rate. So the number in flight whose answers take half of
 * the time between the fastest answer and the request time-out is rate x (fastest + time-out) / 2: enough to keep every slot of the
 * server busy, whatever their number, and far from timing out. All times in milliseconds. Pure.
 */
export interface Throughput {
  /** How long the endpoint has had something to do. Its results are placed on this clock, so that idle time says nothing about it. */
  busyMs: number;
  atMs: number;
  /** When the last results came, on the busy clock; the oldest is overwritten. */
  readonly results: number[];
  next: number;
  /** The busy clock before the oldest of them. */
  sinceBusyMs: number;
  fastestMs: number;
}

/** Enough to smooth over items of different lengths, few enough to follow a server that becomes slower. */
const MAX_RESULTS = 32;

export function newThroughput(nowMs: number): Throughput {
  return { busyMs: 0, atMs: nowMs, results: [], next: 0, sinceBusyMs: 0, fastestMs: Number.POSITIVE_INFINITY };
}

/** Called before each change of what is in flight. */
export function passTime(throughput: Throughput, nowMs: number, isBusy: boolean): void {
  if (isBusy) throughput.busyMs += nowMs - throughput.atMs;
  throughput.atMs = nowMs;
}

export function addResult(throughput: Throughput, tookMs: number): void {
  const { results, next, busyMs } = throughput;
  throughput.sinceBusyMs = results[next] ?? throughput.sinceBusyMs;
  results[next] = busyMs;
  throughput.next = (next + 1) % MAX_RESULTS;
  throughput.fastestMs = Math.min(throughput.fastestMs, tookMs);
}

/** How many items the endpoint carries at a time; null while nothing is known. */
export function carried({ busyMs, results, sinceBusyMs, fastestMs }: Throughput, timeoutMs: number): number | null {
  if (results.length === 0) return null;
  const perMs = results.length / Math.max(1, busyMs - sinceBusyMs);
  return (perMs * (Math.min(fastestMs, timeoutMs) + timeoutMs)) / 2;
}
