import { isServerWord } from './client-error.ts';
import { type Finding, fieldsOf, warned } from './findings.ts';
import { SENTINEL_PASSWORD } from './remedy.ts';

/** How a server is found again after a fail-over, and what is known of those that carry one out. `named`: in the URL. */
export type ServerGroup =
  | { readonly kind: 'alone' }
  | { readonly kind: 'cluster'; readonly named: number; readonly primaries: number }
  | { readonly kind: 'sentinel'; readonly named: number; readonly answering: number; readonly said: QuorumWords };

/** What Sentinels answer to SENTINEL CKQUORUM; null: none of them has. */
export interface QuorumWords {
  readonly quorum: string | null;
  /** What another one says instead: it wants a password, or watches no such group. */
  readonly refusal: string | null;
}

export interface GroupAnswers {
  readonly group: ServerGroup;
  /** Of the server that has, or would have, the run. */
  readonly info: string;
  readonly config: Readonly<Record<string, string>> | null;
}

/** Fewer cannot outvote one that has failed. */
const MAJORITY_OF = 3;

/** What stands in the way of a fail-over, or would be lost in one. */
export function groupFindings({ group, info, config }: GroupAnswers): readonly Finding[] {
  switch (group.kind) {
    case 'alone':
      return [];
    case 'cluster':
      return [...replicaFindings(info, config), ...clusterFindings(group)];
    case 'sentinel':
      return [...replicaFindings(info, config), ...sentinelFindings(group)];
  }
}

export function replicasOf(info: string): number {
  return Number(fieldsOf(info).get('connected_slaves') ?? 0);
}

function replicaFindings(info: string, config: GroupAnswers['config']): readonly Finding[] {
  if (replicasOf(info) === 0)
    return [warned('no replica follows this server: when it fails, nothing takes over', 'let a replica follow it, on another machine')];
  if (config?.['min-replicas-to-write'] !== '0') return [];
  return [
    warned(
      'a primary that is cut off from the others goes on taking writes, which are lost when it comes back as a replica',
      'set min-replicas-to-write 1 and min-replicas-max-lag 10 on each server; with one replica alone, the run waits while that one is away',
    ),
  ];
}

function clusterFindings({ named, primaries }: { readonly named: number; readonly primaries: number }): readonly Finding[] {
  return [
    ...(primaries < MAJORITY_OF
      ? [
          warned(
            `the Cluster has ${primaries} primaries with slots: when one fails, the others are no majority, and no replica takes over`,
            'have three primaries or more, each on a machine of its own',
          ),
        ]
      : []),
    ...(named === 1
      ? [
          warned(
            'the URL names one node of the Cluster: while that node is away, no process of the run finds the others',
            'name several, with a comma between them (redis://h1:6379,h2:6379,h3:6379)',
          ),
        ]
      : []),
  ];
}

function sentinelFindings({
  named,
  answering,
  said: { quorum, refusal },
}: Extract<ServerGroup, { readonly kind: 'sentinel' }>): readonly Finding[] {
  return [
    ...(quorum === null || quorum.startsWith('OK')
      ? []
      : [
          warned(
            `the Sentinels would not carry out a fail-over (${quorum})`,
            'have three Sentinels or more, each on a machine of its own, and a quorum that those which are left can reach (SENTINEL CKQUORUM)',
          ),
        ]),
    ...(refusal === null
      ? []
      : [warned(`a Sentinel does not say whether a fail-over would be carried out (${refusal})`, remedyOfRefusal(refusal))]),
    ...(answering < named
      ? [warned(`${named - answering} of ${named} Sentinels do not answer`, 'start them, or take them out of the URL')]
      : []),
    ...(named === 1
      ? [
          warned(
            'the URL names one Sentinel: while it is away, no process of the run finds the primary',
            'name all, with a comma between them (redis+sentinel://h1:26379,h2:26379,h3:26379/<group>)',
          ),
        ]
      : []),
  ];
}

function remedyOfRefusal(refusal: string): string {
  if (/^(?:NOAUTH|WRONGPASS)\b/.test(refusal)) return SENTINEL_PASSWORD;
  if (/^NOPERM\b/.test(refusal)) return 'let the user of the Sentinels give SENTINEL CKQUORUM (ACL SETUSER default +sentinel there)';
  return 'see that each Sentinel in the URL watches the group (SENTINEL MASTERS there)';
}

/** `all`: the answer of each Sentinel, or the error that came instead. A refusal is not the answer of the others. */
export function quorumWords(all: readonly (string | Error)[]): QuorumWords {
  const words = all.filter((one) => !(one instanceof Error) || isServerWord(one)).map((one) => (one instanceof Error ? one.message : one));
  const answers = words.filter((one) => /^(?:OK|NOQUORUM)\b/.test(one));
  return {
    quorum: answers.find((one) => !one.startsWith('OK')) ?? answers[0] ?? null,
    refusal: words.find((one) => !answers.includes(one)) ?? null,
  };
}
