import { type RedisTarget, redisTarget, redisUrlProblem } from '../../runtime/model/redis-url.ts';

/** For people, where a run was not retired. `url`: null where it is not known; one that may hold a password is not shown. */
export function keptText(runId: string, url: string | null, why: string): string {
  const target = url === null || redisUrlProblem(url) !== null ? null : redisTarget(url);
  const where = target === null ? 'its Redis server' : url;
  const command = removal(runId, optionsOf(target));
  return `the keys of the run ${runId} stay on ${where}: ${why}. Once nothing works on it, remove them${placeOf(target)} (${loginText(target)}): ${command}`;
}

/** Of a record that a backup, for instance, has brought into another namespace. Its keys are not to be removed: the run may go on. */
export function copyText(runId: string, home: string): string {
  return `the run ${runId} is not retired, and its keys stay: this ConfigMap is a copy of the one in the namespace ${home}, where the run may go on`;
}

function removal(runId: string, options: string): string {
  return `redis-cli ${options} --scan --pattern 'rollout:{${runId}}:*' | xargs -r redis-cli ${options} unlink`;
}

/** Other servers than those of the URL may have the keys by now. */
function placeOf(target: RedisTarget | null): string {
  if (target === null) return ' there';
  if (target.group !== null) return ` on the primary of ${target.group}, which its Sentinels name, as HOST and PORT`;
  return target.servers.length > 1 ? ' on each primary of the Cluster, as HOST and PORT' : ' there';
}

function loginText(target: RedisTarget | null): string {
  return `a password: in REDISCLI_AUTH${target?.isTls ? '; certificates: by --cacert, --cert and --key' : ''}`;
}

/** Not as a URL: redis-cli takes a user without a password in it for the password. */
function optionsOf(target: RedisTarget | null): string {
  const [only, ...others] = target?.servers ?? [];
  const isOne = only !== undefined && others.length === 0 && target?.group === null;
  const address = isOne ? ['-h', only.host, '-p', `${only.port}`] : ['-h', 'HOST', '-p', 'PORT'];
  const { isTls = false, db = 0, username = null } = target ?? {};
  return [
    ...address,
    ...(isTls ? ['--tls'] : []),
    ...(db === 0 ? [] : ['-n', `${db}`]),
    ...(username === null ? [] : ['--user', quoted(username)]),
  ].join(' ');
}

/** For a shell. */
function quoted(text: string): string {
  return /^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
