import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { DrainOrder, DrainReply } from '../../model/drain.ts';
import type { RunStatus } from '../../model/status.ts';
import { type Answered, createRunClient, type RunClient } from '../../rpc/client.ts';
import { clientCredentials } from '../../rpc/tls.ts';
import type { StatePaths } from '../../run-dir/paths.ts';
import { readServing } from '../../run-dir/state-files.ts';
import { issueCertificate, readRunId, type TlsFiles } from '../../tls/ca.ts';

/** The live coordinator of a run, asked where the run stands, or told what to do. It may end and come back elsewhere: then one answer is null. */
export interface LiveRun {
  /** Null where no coordinator answers now. */
  status(): Promise<RunStatus | null>;
  /** Why the last question for the status had no answer though something listens there; null where none does. */
  silence(): string | null;
  drain(order: DrainOrder): Promise<Answered<DrainReply>>;
  close(): void;
}

export interface LiveRunOptions {
  readonly tlsDir: string;
  /** host:port as it is now known; null for none. */
  readonly address: () => Promise<string | null>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Needs the TLS directory of the run: its certificate authority names the run. */
export async function openLiveRun(options: LiveRunOptions): Promise<LiveRun> {
  const files = await issueCertificate(options.tlsDir, { role: 'client' });
  return new Live(options, files, await readRunId(options.tlsDir));
}

class Live implements LiveRun {
  readonly #options: LiveRunOptions;
  readonly #files: TlsFiles;
  readonly #runId: string;
  #client: RunClient | null = null;
  #address: string | null = null;
  #silence: string | null = null;

  constructor(options: LiveRunOptions, files: TlsFiles, runId: string) {
    this.#options = options;
    this.#files = files;
    this.#runId = runId;
  }

  async status(): Promise<RunStatus | null> {
    const address = await this.#options.address();
    this.#silence = null;
    if (address === null) return null;
    const answer = await this.#clientAt(address).status();
    this.#silence = silenceOf(address, answer);
    return answer.kind === 'reply' ? answer.reply : null;
  }

  silence(): string | null {
    return this.#silence;
  }

  async drain(order: DrainOrder): Promise<Answered<DrainReply>> {
    const address = await this.#options.address();
    if (address === null) return { kind: 'unreachable', detail: 'no coordinator is known' };
    return this.#clientAt(address).drain(order);
  }

  close(): void {
    this.#client?.close();
    this.#client = null;
  }

  #clientAt(address: string): RunClient {
    const { clock, log } = this.#options;
    if (this.#client !== null && this.#address === address) return this.#client;
    this.#client?.close();
    this.#address = address;
    this.#client = createRunClient({ address, credentials: clientCredentials(this.#files, this.#runId, log), clock });
    return this.#client;
  }
}

/** The address at which a coordinator has begun to serve, as it wrote it down; null where none has. */
export async function markedAddress(paths: StatePaths): Promise<string | null> {
  return (await readServing(paths.serving))?.address ?? null;
}

/** What a system says where no process listens, or no such machine is known. */
const NOBODY = /ECONNREFUSED|ENOTFOUND|EHOSTUNREACH|ENETUNREACH/;

function silenceOf(address: string, answer: Answered<RunStatus>): string | null {
  if (answer.kind === 'reply' || answer.kind === 'not-leader' || NOBODY.test(answer.detail)) return null;
  return `${address}: ${answer.detail}`;
}
