import { lookup, Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';

/** Whom to ask, and where the machine's search domains stand. */
export interface NameServers {
  /** The machine's own way of finding an address. */
  readonly lookup: (host: string) => Promise<unknown>;
  /** Asks the name servers for exactly this name. */
  readonly resolve: (name: string) => Promise<unknown>;
  /** Path of a resolv.conf(5). */
  readonly config: string;
}

/** How a name of the cluster ends in a pod: `service.namespace.svc`. */
const CLUSTER_SUFFIX = '.svc';

/**
 * Whether the name servers say that the host of `host:port` does not exist. One that does not answer, or cannot, says nothing about it.
 *
 * In a pod the whole name is asked for. The last name that `lookup` asks for is the short one as it stands, which the name servers of a
 * cluster pass on: where they reach no others outside, its answer is that nobody answered.
 */
export async function isHostUnknown(address: string, names: NameServers = machineNames()): Promise<boolean> {
  const host = address.slice(0, address.lastIndexOf(':'));
  const domain = host.endsWith(CLUSTER_SUFFIX) ? clusterDomain(await readFile(names.config, 'utf8').catch(() => '')) : null;
  const asked = domain === null ? names.lookup(host) : names.resolve(`${host}.${domain}`);
  return asked.then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === 'ENOTFOUND',
  );
}

function machineNames(): NameServers {
  const resolver = new Resolver({ timeout: 1_000, tries: 2 });
  return { lookup, resolve: (name) => resolver.resolve4(name), config: '/etc/resolv.conf' };
}

/** That of the search domain `svc.DOMAIN`, which each pod of a cluster has; null where there is none. `text`: of a resolv.conf(5). */
export function clusterDomain(text: string): string | null {
  const domains = [...text.matchAll(/^\s*search\s+(.*)$/gm)].at(-1)?.[1]?.trim().split(/\s+/) ?? [];
  return domains.find((domain) => domain.startsWith('svc.'))?.slice('svc.'.length) ?? null;
}
