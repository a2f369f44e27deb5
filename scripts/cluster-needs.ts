/** What a machine has of what test/cluster/kubernetes needs. */
export interface ClusterFacts {
  readonly platform: string;
  /** Undefined where users have no numbers. */
  readonly uid: number | undefined;
  /** Packages of the system that are not there and could not be installed. */
  readonly missingPackages: readonly string[];
  /** The programs are there; Go is needed only where they are not. */
  readonly isBuilt: boolean;
  /** As `go env GOVERSION` says it (`go1.26.8`); null where there is no Go. */
  readonly go: string | null;
  /** The line `go` of go.mod. */
  readonly wantedGo: string;
}

/** What is missing, in words for whoever can do something about it; empty where nothing is. */
export function missingForCluster({ platform, uid, missingPackages, isBuilt, go, wantedGo }: ClusterFacts): readonly string[] {
  const wrong: string[] = [];
  if (platform !== 'linux') wrong.push('Linux: nodes are made of its namespaces and cgroups');
  if (uid !== 0) wrong.push('root: run it as root, or with sudo');
  const packages = missingPackages.filter((name) => !(isBuilt && OF_BUILD.includes(name)) && name !== GO_PACKAGE);
  if (packages.length > 0) wrong.push(`the packages ${packages.join(', ')}`);
  if (!isBuilt && go === null) wrong.push(`Go ${wantedGo} or later (https://go.dev/dl)`);
  if (!isBuilt && go !== null && isOlder(go, wantedGo)) wrong.push(`Go ${wantedGo} or later (https://go.dev/dl); here is ${go}`);
  return wrong;
}

const GO_PACKAGE = 'golang-go';
const OF_BUILD = ['gcc', 'libc6-dev'];

/** A version that cannot be read is left to Go itself, which compares it with go.mod too. */
function isOlder(go: string, wanted: string): boolean {
  const [there, least] = [numbersOf(go), numbersOf(wanted)];
  const at = least.findIndex((number, nth) => number !== (there[nth] ?? 0));
  return there.length > 0 && at >= 0 && (there[at] ?? 0) < (least[at] ?? 0);
}

function numbersOf(version: string): readonly number[] {
  const [, numbers = ''] = /(\d+(?:\.\d+)*)/.exec(version) ?? [];
  return numbers === '' ? [] : numbers.split('.').map(Number);
}
