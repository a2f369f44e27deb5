import { KEY_PATTERN } from './keys.ts';

/** What a server says of itself: the answers to INFO and CONFIG GET, and the commands of this run that its user may not give. */
export interface ServerAnswers {
  readonly info: string;
  /** Null where the user may not ask. */
  readonly config: Readonly<Record<string, string>> | null;
  readonly denied: readonly string[];
  /** Commands that the server does not have under their own names. */
  readonly unknown: readonly string[];
  /** The user may not use the keys of a run. */
  readonly areKeysDenied: boolean;
}

/** `refused`: a run would lose items or could not go on. `warned`: it goes on, and this is what may be lost. */
export interface Finding {
  readonly severity: 'refused' | 'warned';
  readonly what: string;
  readonly fix: string;
  /** It may pass by itself, or by a word to the server: a run that is under way waits for that. */
  readonly mayPass?: true;
}

/** The first with script flags (`#!lua`), without which a script that runs out of memory stops half way. */
const OLDEST_VERSION = 7;

export function findingsOf({ info, config, denied, unknown, areKeysDenied }: ServerAnswers): readonly Finding[] {
  const fields = fieldsOf(info);
  const other = kindFindings(fields);
  if (other.length > 0) return other;
  return [
    ...versionFindings(fields),
    ...roleFindings(fields),
    ...memoryFindings(fields),
    ...evictionFindings(config?.['maxmemory-policy'] ?? fields.get('maxmemory_policy')),
    ...durabilityFindings(fields, config),
    ...deniedFindings(denied),
    ...unknownFindings(unknown),
    ...(areKeysDenied ? [refused('the user of the run may not use its keys', `ACL SETUSER <user> ~${KEY_PATTERN}`)] : []),
  ];
}

export function fieldsOf(info: string): ReadonlyMap<string, string> {
  const lines = info.split(/\r?\n/).filter((line) => line.includes(':') && !line.startsWith('#'));
  return new Map(lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]));
}

/** Of a server that keeps no ledger, whatever its settings are. */
function kindFindings(fields: ReadonlyMap<string, string>): readonly Finding[] {
  if (fields.get('redis_mode') === 'sentinel')
    return [
      refused(
        'this is a Redis Sentinel, which keeps no data',
        'name the Sentinels and the group that they watch: redis+sentinel://h1:26379,h2:26379,h3:26379/<group>',
      ),
    ];
  return [];
}

/** Others do not carry out the scripts of a run. */
export function keepsLedgers(info: string): boolean {
  return kindFindings(fieldsOf(info)).length === 0;
}

function versionFindings(fields: ReadonlyMap<string, string>): readonly Finding[] {
  // It may not be asked, which is a finding of its own.
  if (fields.size === 0) return [];
  if (fields.has('dragonfly_version'))
    return [refused('this server is Dragonfly, which keeps no append-only file', 'use Redis 7 or Valkey, with appendonly yes')];
  const version = fields.get('redis_version') ?? 'unknown';
  if (Number.parseInt(version, 10) >= OLDEST_VERSION) return [];
  return [refused(`this server is of version ${version}`, `use Redis ${OLDEST_VERSION}.0 or later, or Valkey`)];
}

function roleFindings(fields: ReadonlyMap<string, string>): readonly Finding[] {
  const isReplica = fields.get('role') === 'slave';
  return [
    ...(isReplica ? [refusedNow('this server is a replica, which takes no writes', 'name the primary')] : []),
    ...(fields.get('active_replica') === '1' || fields.get('multi_master') === '1'
      ? [refused('this server accepts writes in several places at once (KeyDB, active-replica)', 'use a server with one primary')]
      : []),
    ...(Number(fields.get('connected_slaves') ?? 0) > 0
      ? [
          warned(
            'replicas follow a little later: a fail-over may lose what was answered last, which the run notices and executes again',
            'fail over with the command FAILOVER, in a Cluster CLUSTER FAILOVER, which wait for the replica',
          ),
        ]
      : []),
  ];
}

function memoryFindings(fields: ReadonlyMap<string, string>): readonly Finding[] {
  const [used, most] = ['used_memory', 'maxmemory'].map((name) => Number(fields.get(name) ?? 0)) as [number, number];
  if (most === 0 || used < most) return [];
  return [
    refusedNow(
      `the server is full: it uses ${used} bytes of ${most}, and refuses to write`,
      'raise maxmemory, or delete what is not needed',
    ),
  ];
}

function evictionFindings(policy: string | undefined): readonly Finding[] {
  if (policy === undefined || policy === 'noeviction') return [];
  return [refused(`maxmemory-policy is ${policy}: items of the run would vanish without a word`, 'set maxmemory-policy noeviction')];
}

function durabilityFindings(fields: ReadonlyMap<string, string>, config: ServerAnswers['config']): readonly Finding[] {
  if (fields.get('aof_enabled') === '0')
    return [
      warned(
        'the append-only file is off: a restart of the server loses the run since its last snapshot',
        'set appendonly yes and appendfsync always',
      ),
    ];
  const sync = config?.['appendfsync'];
  if (sync === undefined)
    return [
      warned(
        'it is not known how often the server syncs its file',
        'let the user of the run give CONFIG GET (ACL SETUSER <user> +config|get)',
      ),
    ];
  return [
    ...(sync === 'always' ? [] : [warned(syncLoss(sync), 'set appendfsync always')]),
    ...(config?.['no-appendfsync-on-rewrite'] === 'yes'
      ? [warned('while the server rewrites its file it syncs nothing', 'set no-appendfsync-on-rewrite no')]
      : []),
  ];
}

function syncLoss(sync: string): string {
  // A sync that is slow is waited for two seconds, and the server goes on answering meanwhile.
  const span = sync === 'everysec' ? 'up to the last two seconds' : 'half a minute or more';
  return `appendfsync is ${sync}: an end of the server or its machine may lose ${span}; what was lost is executed again and, where a coordinator had just won the run, it has to be started over`;
}

function deniedFindings(denied: readonly string[]): readonly Finding[] {
  if (denied.length === 0) return [];
  return [
    refused(
      `the user of the run may not give ${denied.join(', ')}`,
      `ACL SETUSER <user> ${denied.map((one) => `+${one.toLowerCase()}`).join(' ')}`,
    ),
  ];
}

function unknownFindings(unknown: readonly string[]): readonly Finding[] {
  if (unknown.length === 0) return [];
  return [
    refused(
      `the server has no ${unknown.join(', ')} under this name (rename-command)`,
      `take the lines \`rename-command ${unknown[0]} …\` out of its configuration and start it again`,
    ),
  ];
}

export function findingText({ what, fix }: Finding): string {
  return `${what}: ${fix}`;
}

export function refused(what: string, fix: string): Finding {
  return { severity: 'refused', what, fix };
}

function refusedNow(what: string, fix: string): Finding {
  return { ...refused(what, fix), mayPass: true };
}

export function warned(what: string, fix: string): Finding {
  return { severity: 'warned', what, fix };
}
