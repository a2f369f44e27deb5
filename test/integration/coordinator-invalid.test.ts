import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { startCommand } from '../support/command.ts';
import { scratch } from '../support/scratch.ts';

const GOOD = '{"custom_id":"a","method":"POST","url":"/v1/chat/completions","body":{}}';

test('onInvalid: fail: a coordinator started by hand refuses the input with its bad lines, and hands nothing out', async (t) => {
  t.timeout(300_000);
  const dir = scratch(t);
  writeFileSync(join(dir, 'in.jsonl'), `${GOOD}\n\nnot JSON\n${GOOD}\n`);
  const config = { input: 'in.jsonl', output: 'out.jsonl', listen: '127.0.0.1:0', onInvalid: 'fail' };
  writeFileSync(join(dir, 'c.yaml'), JSON.stringify(config));
  const coordinator = startCommand('coordinator', ['--config', 'c.yaml'], { cwd: dir });
  t.is(await coordinator.exited, 2);
  t.regex(coordinator.stderr(), /in\.jsonl has 2 bad lines/);
  t.regex(coordinator.stderr(), /line 3: invalid_json/);
  t.regex(coordinator.stderr(), /line 4: duplicate_custom_id: .*line 1/);
  t.notRegex(coordinator.stdout(), /run_started/);
  t.false(existsSync(join(dir, 'out.jsonl')));
});
