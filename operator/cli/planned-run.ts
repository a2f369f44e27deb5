import { RolloutError } from '../../runtime/base/errors.ts';
import { API_VERSION, KIND, LABEL } from '../api/names.ts';
import type { ConfigMap } from '../kube/kind.ts';
import { type Block, isBlock, own, valueAt } from './manifest/block.ts';
import type { CreateArguments } from './verb-arguments.ts';

/** Of the model server, where the command alone describes it. */
const MODEL_CONTAINER = 'model';
export const LIST_KEY = 'items.jsonl';

/** The ConfigMap that `create` makes of a run's list. */
export function listName(run: string): string {
  return `${run}-items`;
}

/**
 * The run that `create` makes: of another run's manifest, or of nothing, with what the arguments say in the place of what is there.
 * `hasList`: its input is the ConfigMap of `listName`.
 */
export function plannedRun(name: string, namespace: string | null, template: Block | null, hasList: boolean, args: CreateArguments): Block {
  const spec = blockOf(template ?? {}, 'spec');
  const { labels, annotations } = blockOf(template ?? {}, 'metadata');
  const workers = { ...blockOf(spec, 'workers'), ...given({ parallelism: args.parallelism, concurrency: args.concurrency }) };
  const planned = {
    ...spec,
    ...(hasList ? { input: { configMap: { name: listName(name), key: LIST_KEY } } } : {}),
    workers: args.modelImage === undefined ? workers : withImage(workers, args.modelImage),
  };
  requireInput(planned, template);
  requireServer(planned);
  return {
    apiVersion: API_VERSION,
    kind: KIND,
    metadata: { name, ...given({ namespace: namespace ?? undefined, labels, annotations: withoutApplied(annotations) }) },
    spec: Object.keys(planned.workers).length === 0 ? without(planned, 'workers') : planned,
  };
}

function requireInput(spec: Block, template: Block | null): void {
  if (isBlock(spec['input'])) return;
  const where = template === null ? '' : ', or name it in spec.input of the file of --from-run-file';
  throw new RolloutError('USAGE', `which list? Give the file of its lines with -f${where}`);
}

/** What the API server would refuse in words that do not know this command. */
function requireServer(spec: Block): void {
  const hasContainer = valueAt(spec, 'workers.template.spec.containers') !== undefined;
  if (hasContainer || valueAt(spec, 'backend.baseUrl') !== undefined || valueAt(spec, 'backend.type') === 'mock') return;
  throw new RolloutError(
    'USAGE',
    'which model server? Give its image with --model-image, or in the file of --from-run-file its containers (spec.workers.template), its address (spec.backend.baseUrl), or spec.backend.type: mock',
  );
}

/** The image of the container `model`, or of the only one that there is. */
function withImage(workers: Block, image: string): Block {
  const template = blockOf(workers, 'template');
  const spec = blockOf(template, 'spec');
  const containers: readonly unknown[] = Array.isArray(spec['containers']) ? spec['containers'] : [];
  const meant = containers.findIndex((one) => isBlock(one) && one['name'] === MODEL_CONTAINER);
  if (meant < 0 && containers.length > 1) {
    const names = containers.map((one) => String(valueAt(one, 'name'))).join(', ');
    throw new RolloutError(
      'USAGE',
      `--model-image is for the container \`${MODEL_CONTAINER}\` or an only one, and there are ${names}: write it into the file`,
    );
  }
  const at = Math.max(0, meant);
  const before = isBlock(containers[at]) ? containers[at] : { name: MODEL_CONTAINER };
  const changed = containers.length === 0 ? [{ ...before, image }] : containers.with(at, { ...before, image });
  return { ...workers, template: { ...template, spec: { ...spec, containers: changed } } };
}

/** `kubectl apply` keeps a copy of the other run there, which is not this one. */
function withoutApplied(annotations: unknown): Block | undefined {
  const kept = isBlock(annotations) ? without(annotations, 'kubectl.kubernetes.io/last-applied-configuration') : {};
  return Object.keys(kept).length === 0 ? undefined : kept;
}

/** A list as a ConfigMap: as text where it is UTF-8 and not packed, so that people can read it there. */
export function listConfigMap(
  run: string,
  namespace: string | null,
  content: { readonly text: string } | { readonly packed: Buffer },
): ConfigMap {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: listName(run),
      ...(namespace === null ? {} : { namespace }),
      labels: { 'app.kubernetes.io/part-of': 'rollout', [LABEL.run]: run },
    },
    ...('text' in content ? { data: { [LIST_KEY]: content.text } } : { binaryData: { [LIST_KEY]: content.packed.toString('base64') } }),
  };
}

function blockOf(block: Block, name: string): Block {
  const found = own(block, name);
  return isBlock(found) ? found : {};
}

function without(block: Block, name: string): Block {
  return Object.fromEntries(Object.entries(block).filter(([key]) => key !== name));
}

function given(values: Block): Block {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
