import type { Server } from 'node:http';
import { RolloutError } from '../base/errors.ts';
import { EXIT, type ExitCode } from '../base/exit.ts';
import { closeNow, listenOn } from '../base/http-listen.ts';
import { type CliDeps, say } from './deps.ts';

/** What a verb that is a server of its own does with it. `verb`: its name, for what is said. */
export async function serveUntilTold(
  deps: CliDeps,
  verb: string,
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<ExitCode> {
  const told = new Promise<void>((resolve) => {
    deps.onInterrupt(resolve);
  });
  const bound = await listenOn(server, host, port).catch((cause: Error) => {
    throw new RolloutError('CONFIG_INVALID', `cannot listen on ${host}:${port} (${cause.message}): choose another --host or --port`, {
      cause,
    });
  });
  say(deps.err, [`${verb}: listening on http://${host}:${bound}`]);
  await told;
  await closeNow(server);
  return EXIT.done;
}
