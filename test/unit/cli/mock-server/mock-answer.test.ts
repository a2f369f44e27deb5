import test from 'ava';
import { mockAnswer } from '../../../../runtime/cli/mock-server/mock-answer.ts';

const chat = (messages: unknown): string => JSON.stringify({ model: 'm', messages });

test('the last message, the prompt, or an embedding', (t) => {
  const two = [
    { role: 'system', content: 'be brief' },
    { role: 'user', content: 'hello' },
  ];
  t.like(mockAnswer('POST', '/v1/chat/completions', chat(two)), {
    status: 200,
    body: { model: 'm', choices: [{ message: { content: 'hello' }, finish_reason: 'stop' }] },
  });
  t.like(mockAnswer('POST', '/v1/completions', '{"prompt": "once"}'), {
    status: 200,
    body: { model: 'mock', choices: [{ text: 'once' }] },
  });
  t.is(mockAnswer('POST', '/v1/embeddings', '{"input": "x"}').status, 200);
  const parts = [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }];
  t.like(mockAnswer('POST', '/v1/chat/completions', chat(parts)).body, {
    choices: [{ message: { content: '[{"type":"text","text":"hi"}]' } }],
  });
});

test('health and models answer, everything else is refused in words', (t) => {
  t.deepEqual([mockAnswer('GET', '/health', '').status, mockAnswer('GET', '/v1/models', '').status], [200, 200]);
  t.like(mockAnswer('GET', '/x', ''), { status: 404, body: { error: { message: 'nothing is at GET /x' } } });
  t.is(mockAnswer('POST', '/v1/x', '{}').status, 404);
  for (const text of ['', 'x', '[]', 'null', '1']) t.is(mockAnswer('POST', '/v1/completions', text).status, 400, text);
});

test('a share of the requests is refused, and each of them each time', (t) => {
  const statusOf = (n: number, rate?: number): number =>
    mockAnswer('POST', '/v1/chat/completions', chat([{ role: 'user', content: `item ${n}` }]), rate).status;
  const refused = (rate?: number): readonly number[] => Array.from({ length: 1_000 }, (_, n) => n).filter((n) => statusOf(n, rate) === 400);
  t.deepEqual([refused().length, refused(1).length], [0, 1_000]);
  const some = refused(0.2);
  t.true(some.length > 150 && some.length < 250, String(some.length));
  t.deepEqual(refused(0.2), some);
  t.is(mockAnswer('GET', '/health', '', 1).status, 200, 'the server is well');
});
