import { readFileSync } from 'node:fs';
import test from 'ava';
import { seededRandom } from '../../runtime/base/random.ts';
import { createOpenAiBackend } from '../../runtime/worker/backends/openai.ts';
import { type Judgement, judge } from '../../runtime/worker/endpoint/retry.ts';
import { openAiSettings } from '../support/openai-settings.ts';
import { HABITS } from '../support/zoo/habits.ts';
import { REPLY_NAMES, reply } from '../support/zoo/replies.ts';
import { zooServer } from '../support/zoo/server.ts';

const TABLE_HEAD = '| answer | code | judged as |\n|---|---|---|\n';

function rowOf(name: string, judged: Judgement): string {
  switch (judged.kind) {
    case 'result':
      return `| ${name} | | a result |`;
    case 'error':
      return `| ${name} | \`${judged.code}\` | ${judged.blame} |`;
    case 'throttled':
      return `| ${name} | \`${judged.error.code}\` | throttled |`;
    case 'unavailable':
      return `| ${name} | | unavailable |`;
  }
}

test('docs/answers.md says of every answer of the zoo how it is judged', async (t) => {
  const server = await zooServer(t);
  const backend = createOpenAiBackend(openAiSettings({ baseUrls: [server.url] }));
  t.teardown(() => backend.close());
  const item = { customId: 'a', method: 'POST', url: '/v1/chat/completions', body: { messages: [{ role: 'user', content: 'a' }] } };
  const body = Buffer.from(JSON.stringify(item.body));
  const rows: string[] = [];
  for (const name of REPLY_NAMES) {
    server.behave(HABITS.always(reply(name)));
    const execution = await backend.execute(0, { item, bytes: () => body, requestId: name }, new AbortController());
    rows.push(rowOf(name, judge(execution, 1, seededRandom(1), backend.hide, Date.now())));
  }
  const page = readFileSync(new URL('../../docs/answers.md', import.meta.url), 'utf8');
  const start = page.indexOf(TABLE_HEAD) + TABLE_HEAD.length;
  const documented = page.slice(start, page.indexOf('\n\n', start)).split('\n');
  const told = documented.filter((row) => !row.includes('no answer:'));
  t.deepEqual(told, rows, `as a table:\n${rows.join('\n')}`);
});
