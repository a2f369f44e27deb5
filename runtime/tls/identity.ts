/** Who a certificate speaks for: `spiffe://rollout/<runId>[/<role>]`, the only URI among its alternative names. */
export type Identity =
  | { readonly role: 'worker'; readonly runId: string; readonly workerId: string }
  /** Every worker of the run: where one certificate is made for all of them, as a Kubernetes Secret that their pods mount. */
  | { readonly role: 'workers'; readonly runId: string }
  | { readonly role: 'coordinator'; readonly runId: string }
  | { readonly role: 'client'; readonly runId: string }
  /** The certificate authority of a run; nobody may call with it. */
  | { readonly role: 'authority'; readonly runId: string };

const SPIFFE_ID = /^spiffe:\/\/rollout\/([A-Za-z0-9_-]{1,64})(?:\/(coordinator|client|workers|worker)(?:\/([A-Za-z0-9._-]{1,64}))?)?$/;

export function spiffeId(identity: Identity): string {
  const run = `spiffe://rollout/${identity.runId}`;
  switch (identity.role) {
    case 'authority':
      return run;
    case 'worker':
      return `${run}/worker/${identity.workerId}`;
    case 'workers':
    case 'coordinator':
    case 'client':
      return `${run}/${identity.role}`;
  }
}

export function parseSpiffeId(uri: string): Identity | null {
  const [, runId, role, workerId] = SPIFFE_ID.exec(uri) ?? [];
  if (runId === undefined) return null;
  if (role === undefined) return { role: 'authority', runId };
  if (role === 'worker') return workerId === undefined ? null : { role, runId, workerId };
  return workerId === undefined ? { role: role as 'workers' | 'coordinator' | 'client', runId } : null;
}

/**
 * The identity in Node's text of the alternative names (`DNS:localhost, URI:spiffe://…`). Node quotes a name that holds a comma
 * or a quote, so such a name cannot pass itself off as another; two URIs are nobody.
 */
export function identityFromAltNames(altNames: string | undefined): Identity | null {
  const uris = (altNames ?? '').split(', ').filter((name) => name.startsWith('URI:'));
  return uris.length === 1 ? parseSpiffeId((uris[0] ?? '').slice('URI:'.length)) : null;
}
