import { resolve } from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { systemClock } from '../../runtime/base/clock.ts';
import { silentLog } from '../../runtime/base/log.ts';
import type { CliDeps } from '../../runtime/cli/deps.ts';
import { type Begun, inheritedEnv } from './command.ts';

type Main = typeof import('../../runtime/cli/main.ts').main;

export interface Ended {
  readonly exit: number | NodeJS.Signals;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a command ends with that throws, as the launcher has it. */
const BUG = 70;

/**
 * A verb of the command line that ends by itself and starts no process, such as `verify`: the built one, called in this process, where it
 * takes a tenth of the time.
 */
export async function verb(args: readonly string[], cwd: string): Promise<Ended> {
  const main = await builtMain();
  const [out, err] = [new PassThrough(), new PassThrough()];
  const [stdout, stderr] = [text(out), text(err)];
  const exit = await main(args, { ...depsOf(cwd), execPath: '/this verb starts a process: give it to startVerb', out, err });
  out.end();
  err.end();
  return { exit, stdout: await stdout, stderr: await stderr };
}

/**
 * A verb that goes on, such as `run`: the built one in this process, which saves the start of one. The processes that it starts are
 * real. A signal reaches it as the command line has it from its process, once it listens.
 */
export function startVerb(args: readonly string[], cwd: string, env: Readonly<Record<string, string>> = {}): Begun {
  const [out, err] = [new Kept(), new Kept()];
  const onSignal = new Set<() => void>();
  const onInterrupt = (handle: () => void): (() => void) => {
    onSignal.add(handle);
    return () => onSignal.delete(handle);
  };
  const deps = depsOf(cwd);
  let hasExited = false;
  const exited = builtMain()
    .then((main) => main(args, { ...deps, env: { ...deps.env, ...env }, out, err, onInterrupt }))
    .catch((error: unknown) => {
      err.write(inspect(error));
      return BUG;
    })
    .finally(() => (hasExited = true));
  return {
    stdout: () => out.text,
    stderr: () => err.text,
    hasExited: () => hasExited,
    exited,
    signal: (name) => {
      if (onSignal.size === 0 && !hasExited) throw new Error(`${name} would end a process that has just been started: use startCommand`);
      for (const handle of onSignal) handle();
    },
  };
}

async function builtMain(): Promise<Main> {
  return ((await import(new URL('../../dist/cli.js', import.meta.url).href)) as { readonly main: Main }).main;
}

/** Keeps what is written. */
export class Kept extends Writable {
  text = '';

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}

/** What a verb has of the world, where it is called by itself. */
export function depsOf(cwd: string): CliDeps {
  const noProcess = (): never => {
    throw new Error('this verb is a process: give it to startCommand');
  };
  return {
    cwd: resolve(cwd),
    env: inheritedEnv(),
    umask: 0o022,
    execPath: process.execPath,
    launcherOf: (name) => fileURLToPath(new URL(`../../runtime/${name}.js`, import.meta.url)),
    clock: systemClock,
    log: silentLog,
    stdin: Readable.from([]),
    out: new Kept(),
    err: new Kept(),
    isDrawable: false,
    onInterrupt: () => () => undefined,
    coordinatorMain: noProcess,
    workerMain: noProcess,
    kubectlMain: noProcess,
  };
}
