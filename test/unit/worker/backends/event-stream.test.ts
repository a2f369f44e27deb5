import test from 'ava';
import { EventCollector } from '../../../../runtime/worker/backends/event-stream.ts';

function collect(...parts: readonly string[]): unknown {
  const collector = new EventCollector();
  for (const part of parts) collector.add(part);
  const text = collector.end();
  return text === null ? null : (JSON.parse(text) as unknown);
}

const event = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;
const chunk = (...choices: readonly object[]): string =>
  event({ id: 'c1', object: 'chat.completion.chunk', model: 'm', created: 7, choices });
const part = (delta: object, finish: string | null = null, index = 0): object => ({ index, delta, finish_reason: finish });
const DONE = 'data: [DONE]\n\n';

test('a chat in parts becomes the answer that comes without stream', (t) => {
  const usage = { prompt_tokens: 1, completion_tokens: 2 };
  const stream = [
    chunk(part({ role: 'assistant', content: '' })),
    ': a comment\n\n',
    chunk(part({ content: 'good ' })),
    chunk(part({ content: 'morning', reasoning_content: 'hm' })),
    chunk(part({}, 'stop')),
    event({ id: 'c1', object: 'chat.completion.chunk', model: 'm', created: 7, choices: [], usage }),
    DONE,
  ];
  const expected = {
    id: 'c1',
    object: 'chat.completion',
    model: 'm',
    created: 7,
    usage,
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'good morning', reasoning_content: 'hm' } }],
  };
  t.deepEqual(collect(...stream), expected);
  t.deepEqual(collect(...stream.join('').split('')), expected, 'however it is cut into parts');
  t.deepEqual(collect(stream.join('').replaceAll('\n', '\r\n')), expected);
});

test('tool calls are put together by their place, and several choices stay apart', (t) => {
  const call = (index: number, more: object): object => ({ tool_calls: [{ index, ...more }] });
  const answer = collect(
    chunk(part({ role: 'assistant', content: null }), part({ role: 'assistant', content: 'b' }, null, 1)),
    chunk(part(call(0, { id: 'x', type: 'function', function: { name: 'f', arguments: '' } }))),
    chunk(part(call(0, { function: { arguments: '{"a":' } })), part({ content: 'c' }, 'length', 1)),
    chunk(part(call(1, { id: 'y', type: 'function', function: { name: 'g', arguments: '{}' } }))),
    chunk(part(call(0, { function: { arguments: '1}' } }), 'tool_calls')),
    DONE,
  ) as { readonly choices: readonly object[] };
  t.deepEqual(answer.choices, [
    {
      index: 0,
      finish_reason: 'tool_calls',
      message: {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'x', type: 'function', function: { name: 'f', arguments: '{"a":1}' } },
          { id: 'y', type: 'function', function: { name: 'g', arguments: '{}' } },
        ],
      },
    },
    { index: 1, finish_reason: 'length', message: { role: 'assistant', content: 'bc' } },
  ]);
});

test('a completion in parts: its text and the lists of its tokens', (t) => {
  const text = (value: string, finish: string | null): string =>
    event({
      id: 'c',
      object: 'text_completion',
      choices: [{ index: 0, text: value, finish_reason: finish, logprobs: { tokens: [value], token_logprobs: [-1] } }],
    });
  t.deepEqual(collect(text('a', null), text('b', 'stop')), {
    id: 'c',
    object: 'text_completion',
    choices: [{ index: 0, finish_reason: 'stop', text: 'ab', logprobs: { tokens: ['a', 'b'], token_logprobs: [-1, -1] } }],
  });
});

test('numbers keep their text, wherever they stand', (t) => {
  const collector = new EventCollector();
  const logprobs = '{"content":[{"token_id":9223372036854775807,"logprob":-1.0,"top":[1e2,-0]}]}';
  for (const finish of ['null', '"stop"'])
    collector.add(
      `data: {"created":9223372036854775807,"object":"o","usage":{"cost":0.10},"choices":[{"index":0,"text":"n1.0","finish_reason":${finish},"logprobs":${logprobs},"seed":12345678901234567890}]}\n\n`,
    );
  t.is(
    collector.end(),
    `{"created":9223372036854775807,"object":"o","usage":{"cost":0.10},"choices":[{"index":0,"finish_reason":"stop","text":"n1.0n1.0","logprobs":{"content":[${Array(2).fill(logprobs.slice(12, -2)).join(',')}]},"seed":12345678901234567890}]}`,
  );
});

test('choices and tool calls with places such as 1.0 are put together by them, and a number alone is no event', (t) => {
  const call = '{"index":1.0,"function":{"arguments":"a"}}';
  const line = (finish: string): string =>
    `data: {"choices":[{"index":1.0,"delta":{"tool_calls":[${call}]},"finish_reason":${finish}}]}\n\n`;
  t.deepEqual(collect(line('null'), line('"stop"')), {
    choices: [{ index: 1, finish_reason: 'stop', message: { tool_calls: [{ function: { arguments: 'aa' } }] } }],
  });
  const collector = new EventCollector();
  collector.add('data: 12345678901234567890\n\n');
  t.is(collector.end(), '12345678901234567890');
});

test('a stream that ends before its answer is whole is none', (t) => {
  t.is(collect(), null);
  t.is(collect(chunk(part({ content: 'half' }))), null);
  t.is(collect(chunk(part({ content: 'a' }, 'stop'), part({ content: 'half' }, null, 1))), null);
  t.is(collect(chunk(part({ content: 'half' })), DONE), null, '[DONE] does not finish a choice');
  t.is(collect(chunk(part({ content: 'a' }, 'stop'), part({ content: 'half' }, null, 1)), DONE), null, 'nor one of several');
  t.is(collect(chunk(part({ content: 'half' }, '')), DONE), null, 'nor does an empty reason');
  t.is(collect(event({ choices: [{ index: 0, text: 'half' }] }), DONE), null, 'a completion likewise');
  t.not(collect(chunk(part({ content: 'a' }, '')), chunk(part({}, 'stop'))), null, 'every choice has a reason, and nobody says [DONE]');
  t.deepEqual(collect(chunk(), DONE), { id: 'c1', object: 'chat.completion', model: 'm', created: 7, choices: [] });
});

test('an error inside the stream is the answer, whatever came before it', (t) => {
  const error = { error: { code: 429, message: 'slow down' } };
  for (const odd of [{ object: 'error', code: 400 }, { error: 'text' }]) t.deepEqual(collect(event(odd), DONE), odd);
  t.deepEqual(collect(chunk(part({})), `event: error\ndata: {"message":"m"}\n\n`), { message: 'm' });
  t.deepEqual(collect(chunk(part({ content: 'half' })), `event: error\n${event(error)}`, chunk(part({}, 'stop')), DONE), error);
});

test('whatever a stream makes the collector hold counts as bytes of the answer', (t) => {
  const held: Readonly<Record<string, string>> = {
    'a line without an end': 'x'.repeat(1_000_000),
    'lines of one event': `data: ${'x'.repeat(1_000)}\n`.repeat(1_000),
    text: chunk(part({ content: 'x'.repeat(1_000) })).repeat(1_000),
    'characters of three bytes': chunk(part({ content: '語'.repeat(1_000) })).repeat(334),
    'the tokens of a chat': chunk({ ...part({}), logprobs: { content: [{ token: 'x'.repeat(1_000), logprob: -1 }] } }).repeat(1_000),
    'one place of a list': chunk(part({ tool_calls: [{ index: 0, function: { arguments: 'x'.repeat(1_000) } }] })).repeat(1_000),
    'members of the answer': Array.from({ length: 1_000 }, (_, n) => event({ [`m${n}`]: 'x'.repeat(1_000) })).join(''),
    choices: chunk(...Array.from({ length: 16_000 }, (_, index) => part({}, null, index))),
  };
  for (const [name, stream] of Object.entries(held)) {
    const collector = new EventCollector();
    collector.add(stream);
    t.true(collector.bytes > 990_000, `${name}: ${collector.bytes}`);
  }
});

test('what every event says again counts once', (t) => {
  const collector = new EventCollector();
  collector.add(chunk(part({ content: 'four' })).repeat(10_000));
  t.true(collector.bytes >= 40_000 && collector.bytes < 41_000, String(collector.bytes));
});

test('a line that comes in many parts is put together once', (t) => {
  const collector = new EventCollector();
  const text = 'x'.repeat(64 * 1024);
  collector.add('data: {"choices":[{"index":0,"finish_reason":"stop","delta":{"content":"');
  for (let n = 0; n < 128; n += 1) collector.add(text);
  collector.add('"}}]}\r');
  collector.add('\n\r\n');
  t.is(
    (collector.end() ?? '').length,
    128 * text.length + '{"choices":[{"index":0,"finish_reason":"stop","message":{"content":""}}]}'.length,
  );
});
