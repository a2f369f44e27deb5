import { readdirSync } from 'node:fs';
import type { ExecutionContext } from 'ava';
import { systemClock } from '../../runtime/base/clock.ts';
import { type Disk, systemDisk } from '../../runtime/base/fs/disk.ts';
import type { DurableFile } from '../../runtime/base/fs/durable-file.ts';
import type { Outcome } from '../../runtime/model/session.ts';
import { openStore } from '../../runtime/worker/outbox/open-store.ts';
import { type OutboxStore, STORE_LIMITS, type StoreTerms } from '../../runtime/worker/outbox/store.ts';

/** As another process opens it after a kill: nothing was closed. The system closes what a killed process had open. */
export function openedAgain(t: ExecutionContext, dir: string, more: Partial<StoreTerms> = {}): Promise<OutboxStore> {
  const owner = { dir, workerId: 'w1', runId: 'run-1', waitForDiskSpace: async () => false };
  const terms = {
    dir,
    disk: systemDisk,
    clock: systemClock,
    limits: STORE_LIMITS,
    isShort: () => false,
    waitForDiskSpace: owner.waitForDiskSpace,
    ...more,
  };
  return openStore(owner, { ...terms, disk: closedAtTheEnd(t, terms.disk) });
}

function closedAtTheEnd(t: ExecutionContext, disk: Disk): Disk {
  return {
    ...disk,
    createDurable: async (path) => {
      const file = await disk.createDurable(path);
      let closed: Promise<void> | null = null;
      const close = (): Promise<void> => (closed ??= file.close());
      t.teardown(close);
      return { write: (bytes, offset) => file.write(bytes, offset), close };
    },
  };
}

export function filesIn(dir: string): readonly string[] {
  return readdirSync(dir).filter((name) => name.endsWith('.seg'));
}

export function indexes(outcomes: readonly Outcome[]): readonly number[] {
  return outcomes.map(({ index }) => index);
}

/** What is asked of the disk, in order; `fail` may throw instead. */
export function watchedDisk(calls: string[], fail: (call: string) => Promise<void> = async () => undefined): Disk {
  const seen = async (call: string): Promise<void> => {
    calls.push(call);
    await fail(call);
  };
  const name = (path: string): string => path.split('/').at(-1) ?? '';
  return {
    ...systemDisk,
    createDurable: async (path) => {
      await seen(`create ${name(path)}`);
      return watchedFile(await systemDisk.createDurable(path), name(path), seen);
    },
    rm: async (path, options) => {
      if (path.endsWith('.seg')) await seen(`rm ${name(path)}`);
      await systemDisk.rm(path, options);
    },
  };
}

/** A durable write in its halves: before any of it is done, and before its sync is. */
function watchedFile(file: DurableFile, name: string, seen: (call: string) => Promise<void>): DurableFile {
  return {
    write: async (bytes, offset) => {
      try {
        await seen(`write ${name}`);
      } catch (error) {
        // As a disk does that is full: a part of it has been written.
        await file.write(bytes.subarray(offset, offset + Math.ceil((bytes.length - offset) / 2)), 0);
        throw error;
      }
      const written = await file.write(bytes, offset);
      await seen(`sync ${name}`);
      return written;
    },
    close: () => file.close(),
  };
}

export function systemFailure(code: string): Error {
  return Object.assign(new Error(`${code}: of the test`), { code });
}
