/** Where the smoke's four processes run, if not all on this machine: read from the environment. Pure. */

export interface Cloud {
  readonly coordinator: string;
  readonly workers: readonly [string, string, string];
  /** host:port at which the workers reach the coordinator. */
  readonly address: string;
  /** Where the project is installed and built on each host. */
  readonly project: string;
  readonly sshOptions: readonly string[];
}

const PORT = 50_051;
const PROJECT = 'rollout';

/** The hosts, or what is missing and how to give it, all at once. */
export function cloudFrom(env: Readonly<Record<string, string | undefined>>): Cloud | { readonly missing: readonly string[] } {
  const coordinator = (env['ROLLOUT_SMOKE_COORDINATOR'] ?? '').trim();
  const given = words(env['ROLLOUT_SMOKE_WORKERS']);
  const [first, second, third, ...more] = given;
  const missing: string[] = [];
  if (coordinator === '') missing.push('ROLLOUT_SMOKE_COORDINATOR: the host of the coordinator, as ssh takes it, such as ubuntu@10.0.0.10');
  if (first === undefined || second === undefined || third === undefined || more.length > 0) {
    missing.push(
      `ROLLOUT_SMOKE_WORKERS: the hosts of the three workers, such as "ubuntu@10.0.0.11 ubuntu@10.0.0.12 ubuntu@10.0.0.13" (${given.length} given)`,
    );
  }
  if (missing.length > 0 || first === undefined || second === undefined || third === undefined) return { missing };
  return {
    coordinator,
    workers: [first, second, third],
    address: env['ROLLOUT_SMOKE_ADDRESS'] ?? `${coordinator.replace(/^.*@/, '')}:${PORT}`,
    project: env['ROLLOUT_SMOKE_PROJECT'] ?? PROJECT,
    sshOptions: words(env['ROLLOUT_SMOKE_SSH']),
  };
}

function words(text: string | undefined): string[] {
  return (text ?? '').split(/\s+/).filter((word) => word !== '');
}

/** For whoever runs it with hosts of their own. */
export const OPTIONAL: readonly string[] = [
  `ROLLOUT_SMOKE_ADDRESS: host:port at which the workers reach the coordinator (else its host from above and port ${PORT}, which has to be open)`,
  `ROLLOUT_SMOKE_PROJECT: where the project lies on every host, after npm ci (else "${PROJECT}" in the home directory)`,
  'ROLLOUT_SMOKE_SSH: further options of ssh, such as "-i key.pem -p 2222"',
];
