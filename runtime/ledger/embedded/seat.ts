import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { mustGet } from '../../base/assert.ts';
import { RolloutError } from '../../base/errors.ts';
import { isListening, type LifeSocket, listenIn } from '../../base/process/life-socket.ts';

/**
 * LMDB distinguishes the readers of a store only by pid. Two containers on one volume easily have processes with the same pid (each is
 * pid 1); the second one cannot read, and lmdb 3.5.6 crashes it. So each process that has the store open listens on a socket named
 * after its pid, and a process that finds its own pid taken does not open the store.
 */
export interface Seat {
  leave(): Promise<void>;
}

interface Taken {
  readonly socket: LifeSocket;
  count: number;
}

/** Of this process, by directory: it may open a store that it has open already, and must not take itself for another. */
const taken = new Map<string, Taken>();
let last: Promise<unknown> = Promise.resolve();

export async function takeSeat(dir: string): Promise<Seat> {
  await inTurn(async () => {
    const seat = taken.get(dir) ?? { socket: await sitDown(join(dir, 'pids')), count: 0 };
    seat.count += 1;
    taken.set(dir, seat);
  });
  return { leave: () => inTurn(() => leave(dir)) };
}

async function leave(dir: string): Promise<void> {
  const seat = mustGet(taken.get(dir), 'a seat that was taken');
  seat.count -= 1;
  if (seat.count > 0) return;
  taken.delete(dir);
  await rm(join(dir, 'pids', String(process.pid)), { force: true });
  await seat.socket.close();
}

function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const done = last.then(work);
  last = done.catch(() => undefined);
  return done;
}

/** Under its final name the socket is listened on from the first moment. */
async function sitDown(seats: string): Promise<LifeSocket> {
  await mkdir(seats, { recursive: true, mode: 0o700 });
  const own = String(process.pid);
  if (await isListening(seats, own)) throw pidTaken(seats);
  const socket = await listenIn(seats);
  await rename(join(seats, socket.name), join(seats, own));
  return socket;
}

/** What killed processes have left. */
export async function clearSeats(dir: string): Promise<void> {
  const seats = join(dir, 'pids');
  for (const name of await readdir(seats)) {
    if (/^\d+$/.test(name) && !(await isListening(seats, name))) await rm(join(seats, name), { force: true });
  }
}

function pidTaken(seats: string): RolloutError {
  return new RolloutError(
    'PID_TAKEN',
    `the store beside ${seats} is open in a process of another container that has the same pid as this one, ${process.pid}; the store tells its readers apart by pid. Give this command inside that container (docker exec, kubectl exec), or let both containers share one pid namespace (docker run --pid=container:NAME; in Kubernetes shareProcessNamespace: true)`,
  );
}
