import { RolloutError } from '../../base/errors.ts';
import type { Fenced, Place } from '../../ledger/contract.ts';
import type { ResultsRoom } from '../../model/results-kind.ts';
import type { Epoch } from '../../model/row.ts';
import type { Appended, Full, ResultsPlace, SegmentWriter } from '../place/contract.ts';
import { segmentPath } from '../place/segment-name.ts';
import type { CreatedLog, Frame, ResultLog } from './contract.ts';
import { encodeFrames, encodeHeader, frameBytes } from './segment.ts';

/** At most so many bytes go into one write, unless a single append is larger: bounds the copy in memory. */
const MAX_WRITE_BYTES = 32 * 2 ** 20;

export interface ResultLogOptions {
  readonly place: Pick<ResultsPlace, 'name' | 'create'>;
  readonly epoch: Epoch;
  readonly identity: Pick<Place, 'placeId'>;
}

/** Makes the segment of this epoch, exclusively (L17); its name and its header are durable when this resolves (L18). */
export async function createResultLog({ place, epoch, identity }: ResultLogOptions): Promise<CreatedLog | Fenced> {
  const header = encodeHeader({ epoch, placeId: identity.placeId });
  const reply = await place.create(epoch, header);
  if (reply.kind === 'fenced') return reply;
  return { kind: 'created', log: new GroupCommitLog(epoch, segmentPath(place, epoch), reply.writer) };
}

interface Waiting {
  readonly frames: readonly Frame[];
  readonly bytes: number;
  readonly resolve: (reply: Appended | Full | Fenced) => void;
  readonly reject: (error: RolloutError) => void;
}

function framesOf(group: readonly Waiting[]): readonly Frame[] {
  const [only] = group;
  return only !== undefined && group.length === 1 ? only.frames : group.flatMap(({ frames }) => frames);
}

/**
 * Group commit: while one append to the place runs, later ones gather, and go together in the next one. So under load the number of
 * syncs is bounded by the disk, and each append waits for at most two of them.
 *
 * After a failed write or sync nobody knows what is on disk, and the system may have dropped the dirty pages, so that a later sync
 * would succeed over a hole. Hence the first failure is final (L18).
 */
export class GroupCommitLog implements ResultLog {
  readonly epoch: Epoch;
  readonly #path: string;
  readonly #writer: SegmentWriter;
  readonly #waiting: Waiting[] = [];
  #commits: Promise<void> | null = null;
  #failure: RolloutError | null = null;
  #closing: Promise<void> | null = null;

  constructor(epoch: Epoch, path: string, writer: SegmentWriter) {
    this.epoch = epoch;
    this.#path = path;
    this.#writer = writer;
  }

  append(frames: readonly Frame[]): Promise<Appended | Full | Fenced> {
    if (this.#failure !== null) return Promise.reject(this.#failure);
    if (this.#closing !== null) return Promise.reject(new RolloutError('RESULT_LOG_FAILED', `the result log ${this.#path} is closed`));
    if (frames.length === 0) return Promise.resolve({ kind: 'appended' });
    const bytes = frames.reduce((sum, frame) => sum + frameBytes(frame), 0);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ frames, bytes, resolve, reject });
      this.#commits ??= this.#commitAll();
    });
  }

  room(): ResultsRoom | null {
    return this.#writer.room?.() ?? null;
  }

  /** Waits for the appends made before it; later ones are refused. Safe to repeat. */
  close(): Promise<void> {
    this.#closing ??= this.#closeOnce();
    return this.#closing;
  }

  async #closeOnce(): Promise<void> {
    await this.#commits;
    await this.#writer.close();
  }

  /** Never rejects: each append hears of its own fate. */
  async #commitAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const group = this.#takeGroup();
      try {
        const bytes = encodeFrames(this.epoch, framesOf(group));
        const reply = await this.#writer.append(bytes);
        for (const waiting of group) waiting.resolve(reply);
      } catch (error) {
        this.#fail(group, error);
      }
    }
    this.#commits = null;
  }

  #takeGroup(): readonly Waiting[] {
    let bytes = 0;
    const end = this.#waiting.findIndex((waiting, at) => {
      bytes += waiting.bytes;
      return at > 0 && bytes > MAX_WRITE_BYTES;
    });
    return this.#waiting.splice(0, end < 0 ? this.#waiting.length : end);
  }

  #fail(group: readonly Waiting[], cause: unknown): void {
    this.#failure = cause instanceof RolloutError ? cause : this.#writeFailure(cause);
    for (const waiting of [...group, ...this.#waiting.splice(0)]) waiting.reject(this.#failure);
  }

  #writeFailure(cause: unknown): RolloutError {
    const message = `cannot write the result log ${this.#path}: ${(cause as Error).message}; what was acknowledged is safe, start again when the disk is well`;
    return new RolloutError('RESULT_LOG_FAILED', message, { cause });
  }
}
