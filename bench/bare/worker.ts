/** A worker of the bare path: `node worker.ts <address> <ca> <certificate> <key> <outbox> <items in flight>`. */
import { readFileSync } from 'node:fs';
import { type ClientDuplexStream, credentials, makeClientConstructor } from '@grpc/grpc-js';
import { resultLine } from './answer.ts';
import { linesOf, type Message, messageOf, type NumberedLine } from './message.ts';
import { Outbox } from './outbox.ts';
import { SERVICE } from './service.ts';

const [address = '', ca = '', certificate = '', key = '', outboxPath = '', window = ''] = process.argv.slice(2);
const outbox = await Outbox.open(outboxPath);
const Client = makeClientConstructor(SERVICE, 'Bare');
const client = new Client(address, credentials.createSsl(readFileSync(ca), readFileSync(key), readFileSync(certificate)));
const open = client['session'] as unknown as () => ClientDuplexStream<Message, Message>;
const stream = open.call(client);
let ended: NumberedLine[] = [];
let isSending = false;

stream.on('data', (message: Message) => {
  outbox.forget(message.acknowledged);
  if (message.isLast) return stream.end();
  for (const { index, line } of linesOf(message)) execute(index, line).catch(fail);
});
stream.on('error', fail);
stream.on('end', () => {
  client.close();
  outbox.close().catch(fail);
});
stream.write(messageOf([], Number(window)));

/** What a backend that answers at once costs where each item is a promise. */
async function execute(index: number, line: Uint8Array): Promise<void> {
  const result = await Promise.resolve(resultLine(line));
  ended.push({ index, line: result });
  if (isSending) return;
  isSending = true;
  // After all that have ended in this turn.
  setImmediate(() => void send().catch(fail));
}

/** Outcomes gather while those before them are synced. */
async function send(): Promise<void> {
  while (ended.length > 0) {
    const batch = ended;
    ended = [];
    await outbox.put(batch);
    stream.write(messageOf(batch, batch.length));
  }
  isSending = false;
}

function fail(error: unknown): never {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exit(1);
}
