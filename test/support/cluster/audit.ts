import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CLUSTER_RUN } from './scripts.ts';

/** A call of the API, as its server has written it down. */
export interface AuditedCall {
  readonly verb: string;
  /** `group/resource` or `group/resource/subresource`; the group of the core is empty. */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly code: number;
  readonly atMs: number;
  /** It was refused for want of a right. Another 403 is one of a quota, a policy, or a namespace that goes. */
  readonly isDenied: boolean;
  /** The pod that called. */
  readonly pod: string;
}

interface Entry {
  readonly auditID: string;
  readonly verb: string;
  readonly user: { readonly username: string; readonly extra?: Readonly<Record<string, readonly string[]>> };
  readonly objectRef?: {
    readonly resource?: string;
    readonly subresource?: string;
    readonly apiGroup?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
  readonly responseStatus?: { readonly code?: number };
  readonly requestReceivedTimestamp: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

const POD = 'authentication.kubernetes.io/pod-name';
const DECISION = 'authorization.k8s.io/decision';
const LEASES = 'coordination.k8s.io/leases';

/** All calls of objects by a service account, as `namespace:name`, that are in the log of a cluster of this machine; the older ones first. */
export function auditedCalls(account: string, run: string = CLUSTER_RUN): readonly AuditedCall[] {
  const folder = join(run, 'logs');
  const files = readdirSync(folder).filter((name) => /^audit.*\.log$/.test(name));
  const lines = files.flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'));
  const entries = lines.filter((line) => line.includes(`"system:serviceaccount:${account}"`)).map((line) => JSON.parse(line) as Entry);
  return firstOfEach(entries)
    .filter(({ objectRef }) => objectRef?.resource !== undefined)
    .map(callOf)
    .toSorted((one, other) => one.atMs - other.atMs);
}

/** A watch has an entry when it is answered, and another one when it ends: one that is still open counts as well. */
function firstOfEach(entries: readonly Entry[]): readonly Entry[] {
  const first = new Map<string, Entry>();
  for (const entry of entries) if (!first.has(entry.auditID)) first.set(entry.auditID, entry);
  return [...first.values()];
}

/** What has changed something, but for the sign of life of a leader. */
export function writesIn(calls: readonly AuditedCall[]): readonly AuditedCall[] {
  return calls.filter(({ verb, resource }) => !['get', 'list', 'watch'].includes(verb) && resource !== LEASES);
}

/**
 * What was refused for want of a right. Not what the same pod is given later: an API server that has just started does not know all rights
 * yet. Nor the calls of one that is refused everything from then on: the chart is being taken away, or put in for other namespaces, while it
 * ends.
 */
export function lackingIn(calls: readonly AuditedCall[]): readonly AuditedCall[] {
  const denied = calls.filter(({ isDenied }) => isDenied);
  return denied.filter((call) => {
    const given = calls.filter(({ pod, isDenied, atMs }) => pod === call.pod && !isDenied && atMs > call.atMs);
    return given.length > 0 && !given.some(({ verb, resource }) => verb === call.verb && resource === call.resource);
  });
}

function callOf({ verb, user, objectRef = {}, responseStatus, requestReceivedTimestamp, annotations }: Entry): AuditedCall {
  const { apiGroup = '', resource = '', subresource, namespace = '', name = '' } = objectRef;
  return {
    verb,
    resource: [apiGroup, resource, ...(subresource === undefined ? [] : [subresource])].join('/'),
    namespace,
    name,
    code: responseStatus?.code ?? 0,
    atMs: Date.parse(requestReceivedTimestamp),
    isDenied: annotations?.[DECISION] === 'forbid',
    pod: user.extra?.[POD]?.[0] ?? '',
  };
}
