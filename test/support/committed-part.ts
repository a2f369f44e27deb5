import type { Committed, Fact } from '../../runtime/coordinator/state/facts.ts';

/** A transaction of one kind of write. */
export type CommittedPart =
  | ({ readonly kind: 'recorded' } & Pick<Committed, 'recordings' | 'verdicts'>)
  | { readonly kind: 'handed-back'; readonly returns: Committed['returns']; readonly results: Committed['handedBack'] }
  | { readonly kind: 'claimed'; readonly results: Committed['claimed'] };

const NOTHING: Committed = { recordings: [], verdicts: [], returns: [], handedBack: [], claimed: [] };

export function factOf(said: Fact | CommittedPart): Fact {
  switch (said.kind) {
    case 'recorded':
      return { ...NOTHING, kind: 'committed', recordings: said.recordings, verdicts: said.verdicts };
    case 'handed-back':
      return { ...NOTHING, kind: 'committed', returns: said.returns, handedBack: said.results };
    case 'claimed':
      return { ...NOTHING, kind: 'committed', claimed: said.results };
    default:
      return said;
  }
}
