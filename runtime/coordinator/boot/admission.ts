import { RolloutError } from '../../base/errors.ts';
import type { IndexSummary } from '../../input/index/index-summary.ts';
import type { Fenced } from '../../ledger/contract.ts';
import type { Epoch } from '../../model/row.ts';
import type { ItemForm } from '../../model/session.ts';
import type { BoundInput, KeptInput } from '../../results/inline/input.ts';
import { tooManyItems } from '../../results/inline/limit.ts';
import type { Full } from '../../results/place/contract.ts';
import { hashBeginning } from '../../run-dir/check-input.ts';

/** What a run whose results are in Redis asks of its list before an item is handed out or exported. */
export interface Admission {
  readonly limitBytes: number;
  /** Each call is asked until it is answered. */
  bind(epoch: Epoch, input: KeptInput, instead: KeptInput | null): Promise<BoundInput | Fenced>;
}

export type Admitted = { readonly kind: 'admitted' } | Full | Fenced;

export interface AdmittedList {
  readonly inputPath: string;
  readonly form: ItemForm;
  readonly maxLineBytes: number;
  readonly summary: Pick<IndexSummary, 'items' | 'sha256' | 'hashedBytes'>;
  /** How many items are recorded: what they take is there, whatever the limit is by now. */
  readonly recorded: number;
}

/**
 * A list whose results cannot fit is refused. So is another list than the run has: its coordinators need not share a directory, and each
 * sends the lines of its own file. A list that begins with the whole one that is known is the same list, grown (`--extend`).
 */
export async function admit(admission: Admission, epoch: Epoch, list: AdmittedList): Promise<Admitted> {
  const { items, sha256, hashedBytes } = list.summary;
  const reason = items > list.recorded ? tooManyItems(items, admission.limitBytes) : null;
  if (reason !== null) return { kind: 'full', reason };
  const input: KeptInput = { sha256, bytes: hashedBytes, raw: list.form === 'raw', maxLineBytes: list.maxLineBytes };
  const reply = await admission.bind(epoch, input, null);
  if (reply.kind !== 'differs') return reply.kind === 'bound' ? { kind: 'admitted' } : reply;
  const { kept } = reply;
  if (!(await isGrown(list.inputPath, input, kept))) throw otherList(list.inputPath, input, kept);
  const again = await admission.bind(epoch, input, kept);
  if (again.kind === 'differs') throw otherList(list.inputPath, input, again.kept);
  return again.kind === 'bound' ? { kind: 'admitted' } : again;
}

async function isGrown(inputPath: string, input: KeptInput, kept: KeptInput): Promise<boolean> {
  if (input.raw !== kept.raw || input.maxLineBytes !== kept.maxLineBytes || input.bytes < kept.bytes) return false;
  return (await hashBeginning(inputPath, kept.bytes)) === kept.sha256;
}

function otherList(inputPath: string, input: KeptInput, kept: KeptInput): RolloutError {
  const [own, run] = [input, kept].map(({ sha256, bytes, raw }) => `${bytes} bytes with SHA-256 ${sha256}${raw ? ', raw' : ''}`);
  return new RolloutError(
    'IDENTITY_DIFFERS',
    `the run in Redis has another list than ${inputPath}: it has ${run}, and this one has ${own}. Every coordinator of a run needs the same file and the same options; where the list was extended elsewhere, put the longer one here`,
  );
}
