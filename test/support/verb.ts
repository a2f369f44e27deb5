import { resolve } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../../runtime/base/clock.ts';
import { silentLog } from '../../runtime/base/log.ts';
import type { CliDeps } from '../../runtime/cli/deps.ts';
import { inheritedEnv } from './command.ts';

type Main = typeof import('../../runtime/cli/main.ts').main;

export interface Ended {
  readonly exit: number | NodeJS.Signals;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * A verb of the command line that ends by itself and starts no process, such as `verify`: the built one, called in this process, where it
 * takes a tenth of the time.
 */
export async function verb(args: readonly string[], cwd: string): Promise<Ended> {
  const { main } = (await import(new URL('../../dist/cli.js', import.meta.url).href)) as { readonly main: Main };
  const [out, err] = [new PassThrough(), new PassThrough()];
  const [stdout, stderr] = [text(out), text(err)];
  const exit = await main(args, depsOf(cwd, out, err));
  out.end();
  err.end();
  return { exit, stdout: await stdout, stderr: await stderr };
}

function depsOf(cwd: string, out: PassThrough, err: PassThrough): CliDeps {
  const noProcess = (): never => {
    throw new Error('this verb starts a process: give it to startCommand');
  };
  return {
    cwd: resolve(cwd),
    env: inheritedEnv(),
    umask: 0o022,
    execPath: '/this verb starts a process: give it to startCommand',
    launcherOf: (name) => fileURLToPath(new URL(`../../runtime/${name}.js`, import.meta.url)),
    clock: systemClock,
    log: silentLog,
    stdin: Readable.from([]),
    out,
    err,
    isDrawable: false,
    onInterrupt: () => () => undefined,
    coordinatorMain: noProcess,
    workerMain: noProcess,
  };
}
