import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { scratch } from '../support/scratch.ts';
import { TRACED, tracedSteps } from '../support/system-trace.ts';

/** A file by the beginning of its name; null where nothing is to be written. */
const STEPS: readonly (readonly [step: string, file: string | null])[] = [
  ['outbox put', 'outbox/0000000001.seg'],
  ['outbox keep epoch', 'outbox/store.json.'],
  ['outbox forget', null],
  ['ledger acquire', 'store/ledger.mdb'],
  ['ledger register', 'store/ledger.mdb'],
  ['log append', 'segments/0000000000.seg'],
];

test('L16, L18, L34: what the outbox, the ledger and the log say is done, the system was made to bring to the disk before', (t) => {
  const dir = scratch(t);
  const trace = join(dir, 'trace');
  const command = [process.execPath, fileURLToPath(new URL('../support/durable-steps.ts', import.meta.url)), join(dir, 'state')];
  const run = spawnSync('strace', ['-f', '-y', '-e', `trace=${TRACED}`, '-o', trace, ...command], { encoding: 'utf8' });
  t.is(run.error, undefined, 'strace has to be installed (scripts/system-packages.ts)');
  t.is(run.status, 0, run.stderr);
  const steps = tracedSteps(readFileSync(trace, 'utf8'));
  t.deepEqual(
    [...steps.keys()],
    STEPS.map(([step]) => step),
  );
  for (const [name, file] of STEPS) {
    const step = steps.get(name);
    const written = [...(step?.written ?? [])].filter((one) => one.startsWith(join(dir, 'state')));
    if (file === null) t.deepEqual(written, [], `${name} writes nothing`);
    else
      t.true(
        written.some((one) => one.startsWith(join(dir, 'state', file))),
        `${name} writes ${file}`,
      );
    t.deepEqual(
      [...(step?.unsynced ?? [])].filter((one) => one.includes(dir)),
      [],
      `${name} leaves something that is not on disk`,
    );
  }
  const calls = readFileSync(trace, 'utf8');
  for (const folder of ['state', 'state/outbox', 'state/store']) {
    t.true(new RegExp(`\\bfsync\\(\\d+<${join(dir, folder)}>`).test(calls), `the names in ${folder} are on disk`);
  }
});

test('a trace shows which file was left unsynced, also where threads overlap', (t) => {
  const lines = [
    '9 openat(AT_FDCWD</w>, "/s/a", O_RDWR|O_CREAT, 0664) = 5</s/a>',
    '9 openat(AT_FDCWD</w>, "/s/a", O_WRONLY|O_DSYNC|O_CLOEXEC) = 6</s/a>',
    '9 write(1</dev/pts/0>, "begin one\\n", 10) = 10',
    '9 pwrite64(5</s/a>, "x"..., 1, 0) = 1',
    '8 fdatasync(5</s/a> <unfinished ...>',
    '9 pwrite64(6</s/a>, "x"..., 1, 0) = 1',
    '8 <... fdatasync resumed>) = 0',
    '9 write(1</dev/pts/0>, "end one\\n", 8) = 8',
    '9 write(1</dev/pts/0>, "begin two\\n", 10) = 10',
    '9 pwrite64(5</s/a>, "x"..., 1, 0) = 1',
    '9 fdatasync(5</s/a>) = -1 EIO (Input/output error)',
    '9 write(1</dev/pts/0>, "end two\\n", 8) = 8',
    '8 openat(AT_FDCWD</w>, "/s/b", O_WRONLY|O_CREAT|O_EXCL|O_DSYNC|O_CLOEXEC, 0666 <unfinished ...>',
    '9 write(1</dev/pts/0>, "begin three\\n", 12) = 12',
    '8 <... openat resumed>) = 7</s/b>',
    '8 write(7</s/b>, "x"..., 1 <unfinished ...>',
    '9 write(1</dev/pts/0>, "end three\\n", 10) = 10',
    '8 <... write resumed>) = 1',
    '9 write(1</dev/pts/0>, "begin four\\n", 11) = 11',
    '8 write(7</s/b>, "x"..., 1 <unfinished ...>',
    '9 write(5</s/a>, "x"..., 1) = -1 EIO (Input/output error)',
    '8 <... write resumed>) = 1',
    '8 write(7</s/b>, "x"..., 1) = 1',
    '9 write(1</dev/pts/0>, "end four\\n", 9) = 9',
    '9 write(1</dev/pts/0>, "begin five\\n", 11) = 11',
    '8 write(7</s/b>, "x"..., 1) = -1 EIO (Input/output error)',
    '9 write(1</dev/pts/0>, "end five\\n", 9) = 9',
  ];
  const steps = tracedSteps(lines.join('\n'));
  t.deepEqual([...(steps.get('one')?.unsynced ?? ['?'])], []);
  t.deepEqual([...(steps.get('two')?.unsynced ?? [])], ['5 /s/a']);
  t.deepEqual([...(steps.get('three')?.unsynced ?? [])], ['7 /s/b'], 'a write that is not over');
  t.deepEqual([...(steps.get('four')?.unsynced ?? [])], ['5 /s/a']);
  t.deepEqual([...(steps.get('five')?.unsynced ?? [])], ['7 /s/b']);
});
