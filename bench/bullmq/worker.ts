/** A worker of the queue: `node worker.ts <port> <jobs in flight>`. */
import { Worker } from 'bullmq';
import { resultLine } from '../bare/answer.ts';
import { QUEUE } from './queue-name.ts';

const [port = '', concurrency = ''] = process.argv.slice(2);
const execute = async ({ data }: { readonly data: string }): Promise<string> => Buffer.from(resultLine(Buffer.from(data))).toString('utf8');
const worker = new Worker<string, string>(QUEUE, execute, {
  connection: { host: '127.0.0.1', port: Number(port), maxRetriesPerRequest: null },
  concurrency: Number(concurrency),
});
worker.on('error', fail);
process.once('SIGTERM', () => void worker.close().catch(fail));

function fail(error: Error): never {
  process.stderr.write(`${error.stack ?? error.message}\n`);
  process.exit(1);
}
