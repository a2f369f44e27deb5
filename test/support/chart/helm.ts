import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const CHART = 'charts/rollout';
const RELEASE = 'trial';
export const NAMESPACE = 'rollout';
const BUILD = join(ROOT, 'test/cluster/kubernetes/build.sh');
/** A newer one than the chart asks for: without a cluster Helm takes that of its own libraries. */
const KUBE_VERSION = '1.36.0';

/** An object that the chart renders. */
export interface Rendered {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly data?: Readonly<Record<string, string>>;
  readonly stringData?: Readonly<Record<string, string>>;
  readonly rules?: readonly Rule[];
  readonly spec?: unknown;
}

export interface Rule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
  readonly verbs: readonly string[];
}

/** Helm as the cluster of the tests has it, else that of the machine. */
export function findHelm(): Helm {
  const built = join(execFileSync(BUILD, ['where'], { encoding: 'utf8' }).trim(), 'helm');
  if (existsSync(built)) return new Helm(built);
  if (spawnSync('helm', ['version'], { stdio: 'ignore' }).status === 0) return new Helm('helm');
  throw new Error('Helm is not here: `make cluster-up` builds it, and `make test ONLY=test/chart` as well');
}

/** Renders the chart. */
export class Helm {
  readonly #program: string;

  constructor(program: string) {
    this.#program = program;
  }

  /** All objects of the chart with these values. Throws with what Helm said where it refuses them. */
  render(values: object): readonly Rendered[] {
    const text = this.#run(['template', RELEASE, CHART, '--kube-version', KUBE_VERSION], values);
    return parseAllDocuments(text)
      .map((document) => document.toJS() as Rendered | null)
      .filter((one) => one !== null);
  }

  /** What is wrong with the chart with these values; null where nothing is. */
  lint(values: object): string | null {
    try {
      this.#run(['lint', CHART, '--strict'], values);
      return null;
    } catch (error) {
      return String(error);
    }
  }

  /** What is said after an installation. */
  notes(values: object): string {
    return this.#run(['install', RELEASE, CHART, '--dry-run=client', '--hide-secret'], values).split('\nNOTES:\n')[1] ?? '';
  }

  #run(args: readonly string[], values: object): string {
    const { status, stdout, stderr } = spawnSync(this.#program, [...args, '--namespace', NAMESPACE, '--values', '-'], {
      cwd: ROOT,
      input: JSON.stringify(values),
      encoding: 'utf8',
      timeout: 60_000,
    });
    if (status !== 0) throw new Error(`helm ${args.join(' ')}: ${stderr}${stdout}`);
    return stdout;
  }
}

/** The one object of a kind and, where it is given, a part of its name. */
export function theOne(objects: readonly Rendered[], kind: string, part = ''): Rendered {
  const found = objects.filter((one) => one.kind === kind && one.metadata.name.includes(part));
  const [only] = found;
  if (only === undefined || found.length > 1) throw new Error(`${found.length} objects of kind ${kind} with ${part} in their name`);
  return only;
}
