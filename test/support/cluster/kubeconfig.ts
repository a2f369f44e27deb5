import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** How to reach a cluster's API and who to be there: what the current context of a kubeconfig file says. */
export interface Kubeconfig {
  readonly server: string;
  readonly ca: Buffer;
  readonly cert: Buffer;
  readonly key: Buffer;
}

type Fields = Readonly<Record<string, string>>;

interface File {
  readonly 'current-context': string;
  readonly contexts: readonly { readonly name: string; readonly context: Fields }[];
  readonly clusters: readonly { readonly name: string; readonly cluster: Fields }[];
  readonly users: readonly { readonly name: string; readonly user: Fields }[];
}

/** Clusters that are made for tests give their administrator a certificate; other ways to authenticate are refused. */
export function readKubeconfig(path: string): Kubeconfig {
  const file = parse(readFileSync(path, 'utf8')) as File;
  const context = file.contexts.find(({ name }) => name === file['current-context'])?.context;
  const cluster = file.clusters.find(({ name }) => name === context?.['cluster'])?.cluster;
  const user = file.users.find(({ name }) => name === context?.['user'])?.user;
  const of = (fields: Fields | undefined, name: string): string => {
    const value = fields?.[name];
    if (value === undefined) throw new Error(`${path}: its current context has no ${name}`);
    return value;
  };
  return {
    server: of(cluster, 'server'),
    ca: Buffer.from(of(cluster, 'certificate-authority-data'), 'base64'),
    cert: Buffer.from(of(user, 'client-certificate-data'), 'base64'),
    key: Buffer.from(of(user, 'client-key-data'), 'base64'),
  };
}
