import test, { type ExecutionContext } from 'ava';
import { EXIT_MEANINGS, exitHelp } from '../../../runtime/cli/exit-codes.ts';
import { buildProgram, type Verbs } from '../../../runtime/cli/program.ts';

function said(argv: readonly string[]): string {
  let text = '';
  const hear = (part: string): void => {
    text += part;
  };
  const program = buildProgram({} as Verbs, () => undefined, 'x', { out: hear, err: hear });
  try {
    program.parse([...argv], { from: 'user' });
  } catch {
    // Commander ends with an error once it has said what it says.
  }
  return text;
}

function refuses(t: ExecutionContext, argv: readonly string[], what: RegExp): void {
  t.regex(said(argv), what);
}

test('a mistyped option is named before those that are missing, without its value', (t) => {
  refuses(t, ['run', 'in.jsonl', '--outptu', 'a'], /^error: unknown option --outptu; did you mean --output\?/);
  refuses(t, ['run', 'in.jsonl', '--outptu=secret'], /^error: unknown option --outptu; did you mean/);
  refuses(t, ['retry', 'in.jsonl', '--faild', '--output', 'a'], /^error: unknown option --faild; did you mean --failed\?/);
  refuses(t, ['coordinator', 'run', '--cofnig', 'a'], /^error: unknown option --cofnig; did you mean --config\?/);
  refuses(t, ['run', 'in.jsonl', '--zzzzzzzzzzz'], /^error: unknown option --zzzzzzzzzzz\n/);
  refuses(t, ['run', 'in.jsonl'], /required option '--output <path>' not specified/);
});

test('help says which options have to be given, also beside a mistyped one', (t) => {
  t.regex(said(['retry', '--help']), /--failed +[^-]*\(required\)/);
  t.regex(said(['run', '--outptu', '--help']), /--output <path> +[^-]*\(required\)/);
});

const COMMANDS = [
  [],
  ['run'],
  ['retry'],
  ['status'],
  ['drain'],
  ['export'],
  ['verify'],
  ['doctor'],
  ['coordinator', 'run'],
  ['worker', 'run'],
  ['mock-server'],
];

test('the help of every command lists its exit codes, a bug among them', (t) => {
  for (const command of COMMANDS) t.regex(said([...command, '--help']), /Exit codes:\n {2}0 [\s\S]*\n {2}70 +a bug/, command.join(' '));
});

test('a command without own words for a code has those of the table', (t) => {
  t.true(exitHelp({ 3: null }).includes(`3    ${EXIT_MEANINGS[3]}`));
  t.true(exitHelp({ 3: 'own' }).endsWith('3    own'));
});
