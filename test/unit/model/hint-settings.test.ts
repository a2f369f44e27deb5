import test, { type ExecutionContext } from 'ava';
import { MAX_HINTS, parseDeadline, parseHints } from '../../../runtime/model/hint-settings.ts';

const ALL = { node: null, worker: null, provider: null, deadline: null } as const;

function mistakes(t: ExecutionContext, text: string, isNaming = false): readonly string[] {
  const error = t.throws(() => parseHints('h.yaml', text, isNaming), { code: 'CONFIG_INVALID' });
  return (error?.message ?? '').split('\n');
}

test('one hint or a list of them, in YAML or JSON; an empty file says nothing', (t) => {
  const one = [{ ...ALL, severity: 'gone', reason: 'the hints file says gone' }];
  t.deepEqual(parseHints('h', 'severity: gone\n', false), one);
  t.deepEqual(parseHints('h', '{"severity": "gone"}', false), one);
  t.deepEqual(parseHints('h', '[{"severity": "gone"}]', false), one);
  for (const nothing of ['', '\n', '# nothing\n', '[]', 'null']) t.deepEqual(parseHints('h', nothing, true), [], nothing);
});

test('everything that a hint may say', (t) => {
  const text =
    '- node: n1\n  severity: drain\n  provider: gcp\n  deadline: 10s\n  reason: why\n- worker: w1\n  severity: hint\n  provider: aws\n';
  t.deepEqual(parseHints('h', text, true), [
    { node: 'n1', worker: null, severity: 'drain', provider: 'gcp', deadline: { kind: 'in', ms: 10_000 }, reason: 'why' },
    { node: null, worker: 'w1', severity: 'hint', provider: 'aws', deadline: null, reason: 'aws says hint' },
  ]);
});

test('a deadline is a duration, or a moment with its zone', (t) => {
  t.deepEqual(parseDeadline('90s'), { kind: 'in', ms: 90_000 });
  t.deepEqual(parseDeadline('2026-01-31T10:00:00Z'), { kind: 'at', wallMs: Date.UTC(2026, 0, 31, 10) });
  t.deepEqual(parseDeadline('2026-01-31T10:00+01:00'), { kind: 'at', wallMs: Date.UTC(2026, 0, 31, 9) });
  for (const text of ['', '60', '2026-01-31T10:00:00', '2026-13-31T10:00:00Z', 'tomorrow']) t.is(parseDeadline(text), null, text);
});

test('mistakes name file, field, line and what to write, all at once', (t) => {
  t.deepEqual(mistakes(t, '- node: n1\n  severity: drian\n- severity: drain\n  dedline: 60s\n- severity: drain\n  deadline: soon\n'), [
    'h.yaml: `severity` at line 2 must be one of hint, drain, gone, but is "drian"',
    'h.yaml: unknown key `dedline` at line 4; did you mean `deadline`?',
    'h.yaml: `deadline` at line 6 must be a duration with a unit, such as 500ms, 5s, 15m or 2h, or a moment such as 2026-01-31T10:00:00Z, but is "soon"',
  ]);
  t.deepEqual(mistakes(t, '- node: n1\n  reason: "two\\nlines"\n  severity: drain\n'), [
    'h.yaml: `reason` at line 2 must be one line of at most 200 characters',
  ]);
  t.regex(mistakes(t, '- severity: [')[0] ?? '', /^h\.yaml: line 1: /);
  t.deepEqual(mistakes(t, 'gone'), ['h.yaml: at line 1 must hold settings as `name: value` lines']);
});

test('what is missing is shown where its hint stands; a coordinator its file must name somebody', (t) => {
  t.deepEqual(mistakes(t, '- severity: gone\n- node: n1\n'), [
    'h.yaml: `severity` at line 2 is missing: it must be one of hint, drain, gone',
  ]);
  t.deepEqual(mistakes(t, '- node: n1\n  severity: gone\n- severity: gone\n', true), [
    'h.yaml: `node` at line 3 is missing: name the machine with `node`, or a worker with `worker`',
  ]);
});

test('a file that has grown without end is refused', (t) => {
  t.regex(mistakes(t, '- severity: gone\n'.repeat(MAX_HINTS + 1))[0] ?? '', /at most 10000 entries/);
});
