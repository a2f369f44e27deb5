import type { Loop } from '../../runtime/coordinator/loop.ts';
import type { Answered, WorkerClient } from '../../runtime/rpc/client.ts';
import type { SimProcess } from './sim-process.ts';
import { SimStream } from './sim-stream.ts';
import type { World } from './world.ts';

/** Whatever a worker says to a coordinator, and the answer, takes its time or gets lost. */
export function dial(world: World, process: SimProcess, address: string): WorkerClient {
  const answered = async <T>(
    deadlineMs: number,
    ask: (signal: AbortSignal) => Promise<Answered<T>>,
    outer?: AbortSignal,
  ): Promise<Answered<T>> => {
    const gone = new AbortController();
    const hungUp = new Promise<Answered<T>>((resolve) => {
      const end = (detail: string) => (): void => {
        gone.abort();
        resolve({ kind: 'unreachable', detail });
      };
      process.clock.after(deadlineMs, end('deadline'));
      outer?.addEventListener('abort', end('aborted'), { once: true });
      if (outer?.aborted === true) end('aborted')();
    });
    return Promise.race([hungUp, ask(gone.signal)]);
  };
  const call = <T>(deadlineMs: number, ask: (core: Loop, signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<Answered<T>> =>
    answered(
      deadlineMs,
      async (gone) => {
        await process.clock.sleep(random() * 5);
        if (world.chance(world.options.faults.reply)) return lost(world, process);
        if (world.isRefused(address)) return { kind: 'unreachable', detail: 'refused' };
        const there = await world.coreAt(address);
        if (there === null) return { kind: 'not-leader', primaryAddress: '' };
        const reply = await ask(there.core, gone).catch(() => null);
        await there.process.on();
        await process.clock.sleep(random() * 5);
        if (reply === null || world.chance(world.options.faults.reply)) return lost(world, process);
        return { kind: 'reply', reply };
      },
      signal,
    );
  const random = (): number => world.random.next();
  return {
    beat: (beat, deadlineMs) => call(deadlineMs, (core) => core.beat(beat)),
    poll: (poll, deadlineMs, signal) => call(deadlineMs, (core, gone) => core.poll(poll, gone), signal),
    session: (listener) => new SimStream(world, process, address, listener),
    deregister: (deregistration, deadlineMs = 5_000) => call(deadlineMs, (core) => core.deregister(deregistration)),
    identify: async () => ({ kind: 'unreachable', detail: '' }),
    close: () => undefined,
  };
}

/** Told at once, or only by the deadline. */
async function lost(world: World, process: SimProcess): Promise<{ kind: 'unreachable'; detail: string }> {
  if (world.chance(0.3)) await new Promise(() => undefined);
  await process.clock.sleep(1);
  return { kind: 'unreachable', detail: 'lost' };
}
