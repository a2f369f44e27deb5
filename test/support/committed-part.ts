import type { CommittedPart, Fact } from '../../runtime/coordinator/state/facts.ts';

/** A part stands for a transaction of nothing else. */
export function factOf(said: Fact | CommittedPart): Fact {
  return said.kind === 'recorded' || said.kind === 'handed-back' || said.kind === 'claimed' ? { kind: 'committed', parts: [said] } : said;
}
