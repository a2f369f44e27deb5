import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { RolloutError } from '../../runtime/base/errors.ts';
import type { RolloutRun } from '../api/run.ts';
import { CONFIG_MAP, POD, type Pod } from '../kube/kind.ts';
import { configName, readerName, selectorOf, selectorText } from '../rollout/children.ts';
import { EPOCH_VARIABLE, READER_PORT, TOKEN_VARIABLE } from '../rollout/desired/reader-pod.ts';
import type { K8sDeps } from './deps.ts';

/** For an image that has to be pulled. */
const READY_MS = 180_000;
const LOOK_MS = 500;
const TOKEN_BYTES = 24;
/** For a proof of many millions of items, or a file of as many, whose digest is computed before its first byte is sent. */
const ANSWER_MS = 1_800_000;

/** A pod that shows what there is of a run. */
export interface Reader {
  /** Has something done, which takes as long as it takes. */
  ask(page: string): Promise<ReaderAnswer>;
  /** Copies a file to stdout, and proves that it is whole. */
  copy(file: string): Promise<void>;
}

export interface ReaderAnswer {
  /** As a command of the runtime would have ended. */
  readonly exit: number;
  readonly body: string;
}

/** `key`: which of the pods that the operator has written down. It is there for as long as `use` takes. */
export async function withReader<T>(deps: K8sDeps, run: RolloutRun, key: string, use: (reader: Reader) => Promise<T>): Promise<T> {
  const { name } = run.metadata;
  const token = deps.random.hex(TOKEN_BYTES);
  await startReader(deps, run, key, token);
  const path = (page: string): string => proxied(deps.namespace, name, `${token}/${page}`);
  try {
    return await use({ ask: async (page) => ask(deps, path(page)), copy: async (file) => copy(deps, path(file)) });
  } finally {
    await deps.client.delete(POD, { namespace: deps.namespace, name: readerName(name) }, { propagation: 'Background' });
  }
}

/** The operator has written down how the pod is made. One that somebody else's command has left is replaced: its token is not known. */
async function startReader(deps: K8sDeps, run: RolloutRun, key: string, token: string): Promise<void> {
  const { client, namespace, clock, err } = deps;
  const ref = { namespace, name: readerName(run.metadata.name) };
  const written = (await client.get(CONFIG_MAP, { namespace, name: configName(run.metadata.name) }))?.data?.[key];
  if (written === undefined)
    throw new RolloutError(
      'USAGE',
      `the ConfigMap ${configName(run.metadata.name)} has no ${key}: the run is being deleted, or its operator is older than this command: upgrade it`,
    );
  const untilMs = clock.monotonicMs() + READY_MS;
  // Only one process at a time may open the store, and the coordinator stays for workers that have to hear of the end.
  while (await hasCoordinator(deps, run)) await pause(deps, untilMs, 'the coordinator of the run does not end: try again later');
  await client.delete(POD, ref, { gracePeriodSeconds: 0 });
  while ((await client.get(POD, ref)) !== null) await pause(deps, untilMs, 'an earlier reader does not go: try again later');
  await client.create(
    POD,
    withVariables(JSON.parse(written) as Pod, { [TOKEN_VARIABLE]: token, [EPOCH_VARIABLE]: String(heardEpoch(run)) }),
  );
  err.write(`${ref.name}: starting\n`);
  for (;;) {
    const pod = await client.get(POD, ref);
    if (pod?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true) return;
    if (pod?.status?.phase === 'Failed') throw unreachable(`${ref.name} has failed: \`kubectl logs ${ref.name}\` says why`);
    await pause(deps, untilMs, `${ref.name} is not ready: \`kubectl describe pod ${ref.name}\` says why`);
  }
}

/** A pod that should be gone by now is on a node that has gone: it stays until the node comes back or is deleted. */
async function hasCoordinator({ client, namespace, clock }: K8sDeps, { metadata }: RolloutRun): Promise<boolean> {
  const labelSelector = selectorText(selectorOf(metadata.name, 'coordinator'));
  const { items } = await client.list(POD, { namespace, labelSelector });
  return items.some(({ metadata: { deletionTimestamp: goneBy } }) => goneBy === undefined || Date.parse(goneBy) > clock.wallMs());
}

async function pause({ clock }: K8sDeps, untilMs: number, why: string): Promise<void> {
  if (clock.monotonicMs() > untilMs) throw unreachable(why);
  await clock.sleep(LOOK_MS);
}

/** The highest epoch that the status tells of; -1 where no coordinator has ever worked on the run. */
function heardEpoch({ status }: RolloutRun): number {
  const { done = 0, failed = 0 } = status?.items ?? {};
  return status?.coordinator?.epoch ?? (done + failed > 0 ? 0 : -1);
}

function withVariables(pod: Pod, variables: Readonly<Record<string, string>>): Pod {
  const added = Object.entries(variables).map(([name, value]) => ({ name, value }));
  const containers = pod.spec?.containers.map((container) => ({
    ...container,
    env: [...(container.env ?? []), ...added],
  }));
  return { ...pod, spec: { ...pod.spec, containers: containers ?? [] } };
}

async function ask({ transport }: K8sDeps, path: string): Promise<ReaderAnswer> {
  const { status, headers, body } = await transport.call({ method: 'GET', path, deadlineMs: ANSWER_MS });
  if (status !== 200) throw unreachable(`the reader answers ${status}: ${body.trim()}`);
  return { exit: Number(headers['x-exit-code']), body };
}

/** As fast as the reader of stdout takes it, and not a byte less than there is. */
async function copy({ transport, out }: K8sDeps, path: string): Promise<void> {
  const { status, headers, chunks } = await transport.open({ method: 'GET', path, deadlineMs: ANSWER_MS });
  if (status !== 200) throw unreachable(`the reader answers ${status}`);
  const hash = createHash('sha256');
  for await (const chunk of chunks) {
    hash.update(chunk);
    if (!out.write(chunk)) await once(out, 'drain');
  }
  if (hash.digest('hex') === headers['x-content-sha256']) return;
  throw unreachable('the file was cut or changed on its way: run the command again');
}

function proxied(namespace: string, name: string, path: string): string {
  return `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(readerName(name))}:${READER_PORT}/proxy/${path}`;
}

function unreachable(message: string): RolloutError {
  return new RolloutError('COORDINATOR_UNREACHABLE', message);
}
