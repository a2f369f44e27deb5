import { lookup, Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';

/** Whom to ask, and where the machine's search domains stand. */
export interface Names {
  /** The machine's own way of finding an address. */
  readonly lookup: (host: string) => Promise<unknown>;
  /** Asks the name servers for exactly this name. */
  readonly resolve: (name: string) => Promise<unknown>;
  /** Path of a resolv.conf(5). */
  readonly config: string;
}

/** A name of the cluster in a pod: `service.namespace.svc`. */
const OF_CLUSTER = '.svc';

/** Whether the name servers say that the host of `host:port` does not exist. One that does not answer, or cannot, says nothing about it. */
export async function isHostUnknown(address: string, names: Names = machineNames()): Promise<boolean> {
  const host = address.slice(0, address.lastIndexOf(':'));
  try {
    await names.lookup(host);
    return false;
  } catch (error) {
    return hasCode(error, 'ENOTFOUND') || (host.endsWith(OF_CLUSTER) && (await isUnknownToCluster(host, names)));
  }
}

function machineNames(): Names {
  const resolver = new Resolver({ timeout: 1_000, tries: 2 });
  return { lookup, resolve: (name) => resolver.resolve4(name), config: '/etc/resolv.conf' };
}

/**
 * The last name that `lookup` asks for is the short one as it stands, which the name servers of a cluster pass on. Where they reach no
 * others outside, its answer is that nobody answered; for the whole name they answer themselves.
 */
async function isUnknownToCluster(host: string, { resolve, config }: Names): Promise<boolean> {
  const domain = clusterDomain(await readFile(config, 'utf8').catch(() => ''));
  if (domain === null) return false;
  return resolve(`${host}.${domain}`).then(
    () => false,
    (error: unknown) => hasCode(error, 'ENOTFOUND'),
  );
}

/** That of the search domain `svc.DOMAIN`, which each pod of a cluster has; null where there is none. `text`: of a resolv.conf(5). */
export function clusterDomain(text: string): string | null {
  const domains = [...text.matchAll(/^\s*search\s+(.*)$/gm)].at(-1)?.[1]?.trim().split(/\s+/) ?? [];
  return domains.find((domain) => domain.startsWith('svc.'))?.slice('svc.'.length) ?? null;
}

function hasCode(error: unknown, code: string): boolean {
  return (error as NodeJS.ErrnoException).code === code;
}
