import { parseArgs } from 'node:util';
import test from 'ava';
import { RolloutError } from '../../../../runtime/base/errors.ts';
import { EXIT, type ExitCode } from '../../../../runtime/base/exit.ts';
import { runStandalone } from '../../../../runtime/base/process/standalone.ts';

const PROGRAM = { name: 'a-program', usage: 'how it is used' };

function ending(cause: Error): Promise<ExitCode> {
  return runStandalone(PROGRAM, () => Promise.reject(cause));
}

test('an error for people ends a process with its exit code, and what ran well with its own', async (t) => {
  t.is(await ending(new RolloutError('FENCED', 'taken over')), EXIT.fenced);
  t.is(await runStandalone(PROGRAM, async () => EXIT.paused), EXIT.paused);
});

test('arguments that are not known are usage', async (t) => {
  t.is(
    await runStandalone(PROGRAM, async () => {
      parseArgs({ args: ['--unknown'], options: {} });
      return EXIT.done;
    }),
    EXIT.usage,
  );
});

test('a bug is not told as a mistake of who called', async (t) => {
  await t.throwsAsync(ending(Object.assign(new TypeError('a bug'), { code: 'ERR_INVALID_ARG_TYPE' })), { message: 'a bug' });
});
