import { setImmediate } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import type { ExitCode } from '../../runtime/base/exit.ts';
import type { CliDeps } from '../../runtime/cli/deps.ts';
import { depsOf, Kept } from './verb.ts';

/** A verb that serves until it is told to end, called by itself. */
export interface ServedVerb {
  readonly url: string;
  /** What it has said to people. */
  readonly said: () => string;
  /** Tells it to end, and waits for that. */
  readonly end: () => Promise<ExitCode>;
}

export async function serveVerb(
  t: ExecutionContext,
  serve: (deps: CliDeps) => Promise<ExitCode>,
  env: Readonly<Record<string, string>> = {},
): Promise<ServedVerb> {
  const [out, err] = [new Kept(), new Kept()];
  const told: (() => void)[] = [];
  const onInterrupt = (handle: () => void): (() => void) => {
    told.push(handle);
    return () => undefined;
  };
  const running = serve({ ...depsOf('.'), env, out, err, onInterrupt });
  const end = async (): Promise<ExitCode> => {
    for (const handle of told) handle();
    return running;
  };
  t.teardown(end);
  const isOver = running.then(() => true);
  for (;;) {
    const url = /listening on (\S+)/.exec(err.text)?.[1];
    if (url !== undefined) return { url, said: () => err.text, end };
    if (await Promise.race([isOver, setImmediate(false)])) throw new Error(`it did not begin to serve: ${err.text}`);
  }
}
