/**
 * The same list through BullMQ, on a redis-server of its own that syncs each write before it answers: jobs are added a thousand at a time,
 * a worker process for each worker executes them, and the results are read back and written in the order of the items.
 *
 * `node bench/bullmq/main.ts <input> <output> <items> <workers> <jobs in flight per worker>`
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, createReadStream, fsyncSync, openSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { startRedis } from '../redis/server.ts';
import { QUEUE } from './queue-name.ts';

const BULK = 1_000;
const LOOK_MS = 50;

const [input = '', output = '', itemsText = '', workersText = '', concurrency = ''] = process.argv.slice(2);
const redis = await startRedis();
const connection = { host: '127.0.0.1', port: redis.port };
const queue = new Queue<string>(QUEUE, { connection });
const workers = Array.from({ length: Number(workersText) }, () => startWorker());
const ids = await addAll();
if (ids.length !== Number(itemsText)) throw new Error(`${ids.length} jobs were added for ${itemsText} items`);
await allDone(ids.length);
await writeResults(ids);
for (const worker of workers) worker.kill('SIGTERM');
await Promise.all(workers.map((worker) => once(worker, 'exit')));
await queue.close();
await redis.remove();

function startWorker(): ReturnType<typeof spawn> {
  const path = fileURLToPath(new URL('worker.ts', import.meta.url));
  return spawn(process.execPath, [path, String(redis.port), concurrency], { stdio: ['ignore', 'inherit', 'inherit'] });
}

async function addAll(): Promise<readonly string[]> {
  const added: string[] = [];
  let bulk: string[] = [];
  const add = async (): Promise<void> => {
    const jobs = await queue.addBulk(bulk.map((data) => ({ name: 'item', data })));
    for (const { id } of jobs) added.push(id ?? '');
    bulk = [];
  };
  for await (const line of createInterface({ input: createReadStream(input) })) {
    bulk.push(line);
    if (bulk.length === BULK) await add();
  }
  if (bulk.length > 0) await add();
  return added;
}

async function allDone(count: number): Promise<void> {
  for (;;) {
    const { completed = 0, failed = 0 } = await queue.getJobCounts('completed', 'failed');
    if (failed > 0) throw new Error(`${failed} jobs failed`);
    if (completed === count) return;
    await sleep(LOOK_MS);
  }
}

/** By the keys, a thousand in one round trip: `Job.fromId` would read each job whole. */
async function writeResults(all: readonly string[]): Promise<void> {
  const reader = new Redis(connection);
  const file = openSync(output, 'wx');
  for (let from = 0; from < all.length; from += BULK) {
    const pipeline = reader.pipeline();
    for (const id of all.slice(from, from + BULK)) pipeline.hget(queue.toKey(id), 'returnvalue');
    const replies = (await pipeline.exec()) ?? [];
    writeSync(file, replies.map(([, value]) => `${JSON.parse(String(value)) as string}\n`).join(''));
  }
  fsyncSync(file);
  closeSync(file);
  reader.disconnect();
}
