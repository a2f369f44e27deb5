/**
 * What `rollout run` and its children say to one another over Node's IPC channel. The channel's end tells a child that its
 * parent is gone, even by kill -9. A process started by hand has no channel: everything here is then silent.
 */

export type ToParent =
  | { readonly kind: 'listening'; readonly address: string }
  /** It cannot go on now: why, and what to do about it; told again with growing gaps while it lasts. */
  | { readonly kind: 'waiting'; readonly reason: string }
  /** It ends, and starting it again does not help: why. */
  | { readonly kind: 'given-up'; readonly reason: string }
  /** The reason is gone. */
  | { readonly kind: 'going-on' }
  /** Why the coordinator cannot use the store, told again while it lasts; null once it can, be it after the trouble of an earlier process. */
  | { readonly kind: 'store'; readonly trouble: string | null };

export type ToChild =
  /** To the coordinator: the supervisor saw this worker process end. */
  | { readonly kind: 'worker-exited'; readonly workerId: string; readonly pid: number }
  /** To a worker: where the coordinators are now. */
  | { readonly kind: 'coordinators'; readonly addresses: readonly string[] };

/** Started by `rollout run`, with a channel to it. */
export function isSupervised(): boolean {
  return process.send !== undefined;
}

export function tellParent(message: ToParent): void {
  if (process.send !== undefined && process.connected) process.send(message);
}

export function onParentMessage(handle: (message: ToChild) => void): void {
  process.on('message', (message) => handle(message as ToChild));
}

/** Calls `handle` once when the parent has died or let go; never for a process that was started by hand. */
export function onParentLost(handle: () => void): void {
  if (!isSupervised()) return;
  // The parent may have died while this process was starting: then the event has been.
  if (process.connected) process.once('disconnect', handle);
  else handle();
}

/** Ends the channel, so that it does not keep the process alive. */
export function leaveParent(): void {
  if (process.connected) process.disconnect?.();
}
