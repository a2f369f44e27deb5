/**
 * The bare path: what the guarantees cost where nothing else is done. One coordinator and some workers over gRPC and mutual TLS; a worker
 * syncs each outcome to its outbox before it sends it; the coordinator syncs it to the result log, commits to LMDB, and then acknowledges;
 * at the end the results are written in the order of the items. It has no retries, recovery, drain or takeover: a limit for benchmarks.
 *
 * `node bench/bare/main.ts <input> <output> <items> <workers> <items in flight per worker>`
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Server, ServerCredentials, type ServerDuplexStream } from '@grpc/grpc-js';
import { ensureDevCa, issueCertificate } from '../../runtime/tls/ca.ts';
import { Cycle } from './cycle.ts';
import { Input } from './input.ts';
import type { Message } from './message.ts';
import { ResultLog } from './result-log.ts';
import { SERVICE } from './service.ts';
import { Table } from './table.ts';

const EPOCH = 7;
const RUN_ID = '01HZZZZZZZZZZZZZZZZZZZZZZZ';
/** How often it is looked whether more of the input is indexed, while workers wait for it. */
const LOOK_MS = 5;

const [inputPath = '', output = '', itemsText = '', workersText = '', window = ''] = process.argv.slice(2);
const [items, workers, dir] = [Number(itemsText), Number(workersText), dirname(output)];
const input = await Input.open(inputPath, items);
const log = await ResultLog.create(join(dir, 'results'), EPOCH, items);
const table = await Table.create(join(dir, 'ledger.mdb'), EPOCH, items);
const cycle = new Cycle(input, log, table);
let [onFinished, onFailure] = [(): void => undefined, (_error: unknown): void => undefined];
const finished = new Promise<void>((resolve, reject) => {
  [onFinished, onFailure] = [resolve, reject];
});

function turn(): void {
  cycle.run().then(() => {
    if (table.isFinished) onFinished();
  }, onFailure);
}

const tlsDir = join(dir, 'tls');
await ensureDevCa(tlsDir, RUN_ID);
const { caPath, certPath, keyPath } = await issueCertificate(tlsDir, { role: 'coordinator', hosts: [] });
const pair = { cert_chain: readFileSync(certPath), private_key: readFileSync(keyPath) };
const server = new Server();
server.addService(SERVICE, {
  session: (stream: ServerDuplexStream<Message, Message>) => {
    const worker = cycle.addWorker((message) => stream.write(message));
    stream.on('data', (message: Message) => {
      cycle.onMessage(worker, message);
      turn();
    });
    stream.on('error', onFailure);
    stream.on('end', () => stream.end());
  },
});
const port = await new Promise<number>((resolve, reject) => {
  const credentials = ServerCredentials.createSsl(readFileSync(caPath), [pair], true);
  server.bindAsync('localhost:0', credentials, (error, bound) => (error === null ? resolve(bound) : reject(error)));
});
const looking = setInterval(turn, LOOK_MS);
input.whole.then(() => {
  clearInterval(looking);
  turn();
}, onFailure);

const ended = await startWorkers();
await finished;
await log.exportTo(output);
cycle.sayLast();
await Promise.all(ended);
server.forceShutdown();
await input.close();
await table.close();

async function startWorkers(): Promise<readonly Promise<unknown>[]> {
  const path = fileURLToPath(new URL('worker.ts', import.meta.url));
  const children: Promise<unknown>[] = [];
  for (let n = 1; n <= workers; n += 1) {
    const files = await issueCertificate(tlsDir, { role: 'worker', workerId: `w${n}` });
    const args = [path, `localhost:${port}`, files.caPath, files.certPath, files.keyPath, join(dir, `outbox-${n}`), window];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] });
    const exit = once(child, 'exit');
    exit.then(([code]) => (code === 0 ? undefined : onFailure(new Error(`worker ${n} ended with ${String(code)}`))), onFailure);
    children.push(exit);
  }
  return children;
}
