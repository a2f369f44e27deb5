import { writeFileAtomic } from '../base/fs/atomic-file.ts';
import { readTextIfThere } from '../base/fs/text-file.ts';
import { isJsonObject } from '../base/json/json-object.ts';
import type { Log } from '../base/log.ts';
import type { Assignment } from '../model/session.ts';
import type { Ending, KnownGoodEnd } from './commands.ts';
import type { Slots } from './slots.ts';

/**
 * A request of this run that has had a result. Where an endpoint refuses items and no other item is left to show whether it answers
 * any, it is asked with this one again (W13), and the answer is thrown away. Each process keeps the first request that has a result, and
 * leaves it in a file for the next start, whose items may all be refused.
 */
export interface KnownGood {
  note(assignment: Assignment, ending: Ending): void;
  ask(endpoint: number): Promise<KnownGoodEnd>;
}

export interface KnownGoodDeps {
  readonly path: string;
  /** A request of another run is not sent: its server may be another one too. */
  readonly runId: string;
  readonly slots: Pick<Slots, 'run'>;
  readonly log: Pick<Log, 'debug'>;
}

type Request = Pick<Assignment, 'index' | 'line' | 'lineNumber' | 'form'>;

const NOT_THERE: KnownGoodEnd = { kind: 'refused', detail: '' };
const REFUSED: KnownGoodEnd = { kind: 'refused', detail: 'a request that had a result before is refused too' };

export async function openKnownGood(deps: KnownGoodDeps): Promise<KnownGood> {
  const { path, runId, slots, log } = deps;
  let request = parse(await readTextIfThere(path), runId);
  let isNoted = false;
  return {
    note: (assignment, ending) => {
      if (isNoted || ending.kind !== 'outcome' || ending.outcome.kind !== 'result') return;
      isNoted = true;
      const { index, lineNumber, form } = assignment;
      // A copy: the line is a part of the message that brought it.
      request = { index, line: Buffer.from(assignment.line), lineNumber, form };
      // Without the file the next start can tell less, and is otherwise the same.
      writeFileAtomic(path, textOf(request, runId)).catch((error: unknown) => log.debug({ error }, 'the known-good request is not kept'));
    },
    // No attempt has the number 0.
    ask: async (endpoint) => (request === null ? NOT_THERE : endOf(await slots.run({ ...request, attempt: 0, claimEpoch: 0 }, endpoint))),
  };
}

function endOf(ending: Ending): KnownGoodEnd {
  switch (ending.kind) {
    case 'outcome':
      return ending.outcome.kind === 'result' ? { kind: 'answered' } : REFUSED;
    case 'failure':
      return ending.failure.isRefusal ? REFUSED : { kind: 'nothing', detail: ending.failure.detail };
    default:
      return { kind: 'nothing', detail: ending.detail };
  }
}

function textOf({ line, ...rest }: Request, runId: string): string {
  return `${JSON.stringify({ runId, ...rest, line: Buffer.from(line).toString('utf8') })}\n`;
}

/** A file that cannot be read is as good as none. */
function parse(text: string | null, runId: string): Request | null {
  const value = text === null ? null : valueIn(text);
  if (!isJsonObject(value) || value['runId'] !== runId) return null;
  const { index, line, lineNumber, form } = value;
  if (typeof index !== 'number' || typeof line !== 'string' || typeof lineNumber !== 'number') return null;
  return form === 'batch' || form === 'raw' ? { index, line: Buffer.from(line), lineNumber, form } : null;
}

function valueIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
