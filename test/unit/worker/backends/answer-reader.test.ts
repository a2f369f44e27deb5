import { setImmediate } from 'node:timers/promises';
import test from 'ava';
import { createAnswerBudget } from '../../../../runtime/worker/backends/answer-budget.ts';
import { type ReadLimits, readEvents, readWhole, recognizeEvents } from '../../../../runtime/worker/backends/answer-reader.ts';

const never = new AbortController().signal;

function limits(more: Partial<ReadLimits> = {}): ReadLimits {
  return { maxAnswerBytes: 1_000_000, budget: createAnswerBudget(10_000_000), signal: never, uncounted: (wait) => wait, ...more };
}

async function* parts(...chunks: readonly (Uint8Array | string)[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) {
    await setImmediate();
    yield Buffer.from(chunk as Uint8Array);
  }
}

const delta = (content: string): string => `data: {"choices":[{"index":0,"finish_reason":"stop","delta":{"content":"${content}"}}]}\n\n`;

test('a stream is given up once more than the longest answer is held, though no line or event ever ends', async (t) => {
  let sent = 0;
  async function* endless(text: string): AsyncGenerator<Uint8Array> {
    for (;;) {
      await setImmediate();
      sent += text.length;
      yield Buffer.from(text);
    }
  }
  for (const text of ['x'.repeat(50_000), `data: ${'x'.repeat(50_000)}\n`]) {
    sent = 0;
    t.deepEqual(await readEvents(endless(text), limits()), { kind: 'too-large' });
    t.true(sent <= 1_100_000, `${sent}`);
  }
});

test('bytes of a stream that are no UTF-8 never become other characters of an answer', async (t) => {
  const [before, after] = delta('a|b').split('|') as [string, string];
  const read = await readEvents(parts(Buffer.concat([Buffer.from(before), Buffer.from([0xff]), Buffer.from(after)])), limits());
  t.true(read.kind === 'whole' && read.body.includes(0xff), JSON.stringify(read));
  const whole = Buffer.from(delta('語'));
  for (const at of [whole.indexOf('語') + 1, whole.indexOf('語') + 2]) {
    const joined = await readEvents(parts(whole.subarray(0, at), whole.subarray(at)), limits());
    t.is(joined.kind === 'whole' ? JSON.parse(Buffer.from(joined.body).toString()).choices[0].message.content : joined.kind, '語');
  }
});

test('a body is answered byte for byte, and one beyond the limit not at all', async (t) => {
  t.deepEqual(await readWhole(parts('ab', 'c'), limits({ maxAnswerBytes: 3 })), { kind: 'whole', body: Buffer.from('abc') });
  t.deepEqual(await readWhole(parts('ab', 'cd'), limits({ maxAnswerBytes: 3 })), { kind: 'too-large' });
});

test('events are told by how a body begins, whatever parts it comes in, and the body stays the same', async (t) => {
  const bodies: readonly (readonly [boolean, string])[] = [
    [true, delta('a')],
    [true, `: hello\n\n${delta('a')}`],
    [true, `\ufeff\r\n\nevent: message\n${delta('a')}`],
    [false, '{"data":1}'],
    [false, '<html>data: 1</html>'],
    [false, 'database is gone: sorry'],
    [false, 'data'],
    [false, ''],
  ];
  for (const [expected, text] of bodies) {
    for (const chunks of [[text], text.split('')]) {
      const { body, isEvents } = await recognizeEvents(parts(...chunks));
      t.is(isEvents, expected, text);
      const read = await readWhole(body, limits());
      t.is(read.kind === 'whole' ? Buffer.from(read.body).toString() : read.kind, text);
    }
  }
});

test('a body that was looked at is closed when its reading stops early', async (t) => {
  let isClosed = false;
  async function* endless(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) yield Buffer.from('x'.repeat(1_000));
    } finally {
      isClosed = true;
    }
  }
  const { body } = await recognizeEvents(endless());
  t.deepEqual(await readWhole(body, limits({ maxAnswerBytes: 500 })), { kind: 'too-large' });
  t.true(isClosed);
});
