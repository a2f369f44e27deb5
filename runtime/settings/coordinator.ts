import { MOST_ATTEMPTS } from '../model/limits.ts';
import { REDIS_PASSWORD_VARIABLE, SENTINEL_PASSWORD_VARIABLE } from '../model/store.ts';

/** The settings of coordinator.yaml, but for those of timing.ts. */
export const COORDINATOR = {
  runId: { kind: 'ulid', otherwise: 'the one in the state directory, or a new one', text: 'ULID of the run' },
  input: { kind: 'text', text: 'the JSONL file, or a `.gz` of it' },
  output: { kind: 'outputPath', flags: '--output <path>', text: 'where results go; failures go to `<path>.errors.jsonl`' },
  overwrite: {
    kind: 'switch',
    default: false,
    flags: '--overwrite',
    text: 'replace files at the output that this run has not written',
    more: '; without it such files are refused at the start',
  },
  outputMode: {
    kind: 'fileMode',
    otherwise: 'of the input',
    text: "permissions of the output files, such as `'0640'`; else those of the input, within the umask",
  },
  listen: {
    kind: 'hostPort',
    otherwise: '127.0.0.1:50051',
    text: 'host:port for workers and verbs; port 0: the system chooses',
  },
  advertise: {
    kind: 'hostPort',
    otherwise: '`listen`',
    text: 'host:port at which workers and other coordinators reach this one, where `listen` names all interfaces',
  },
  // Next to the ports that exporters of metrics use, and on this host alone: nobody has to log in there.
  http: {
    kind: 'healthAddress',
    otherwise: '127.0.0.1:9464',
    text: 'host:port of the health endpoints (below); port 0: the system chooses; `none`. Where it is not said and the port is taken, a free one is used and logged',
  },
  stateDir: { kind: 'text', otherwise: '`<output>.rollout`', text: 'store, results, index, certificates' },
  // Workers hand over all that they hold at once, up to 32 MiB in one write, and the store copies each page that it changes. A coordinator
  // that began with less would only fail again, after having won another epoch.
  minFreeSpace: {
    kind: 'size',
    default: '64MiB',
    flags: '--min-free-space <size>',
    text: 'with less left on the disk of the state directory the run waits',
    more: ', and says so',
  },
  'tls.dir': { kind: 'text', otherwise: '`<stateDir>/tls`', text: 'certificates; a dev CA is made there when there is none' },
  'store.embedded': { kind: 'emptyBlock', otherwise: '`{}`', text: 'the store in the state directory, where no server is named' },
  'store.redis': {
    kind: 'redisUrl',
    otherwise: 'none',
    flags: '--redis <url>',
    text: 'keep the ledger on this Redis server, such as `redis://host:6379`, or `rediss://user@host:6380/0` for TLS; without the password',
    more: '; several hosts for a Cluster, `redis+sentinel://` for Sentinels ([redis.md](redis.md))',
  },
  'store.passwordFile': {
    kind: 'text',
    otherwise: 'none',
    flags: '--redis-password-file <file>',
    text: `file with the password of the Redis user; else \`${REDIS_PASSWORD_VARIABLE}\` in the environment` as string,
  },
  'store.sentinelPasswordFile': {
    kind: 'text',
    otherwise: 'none',
    flags: '--redis-sentinel-password-file <file>',
    text: `file with the password of the Redis Sentinels; else \`${SENTINEL_PASSWORD_VARIABLE}\` in the environment` as string,
  },
  'store.sentinelUsername': {
    kind: 'text',
    otherwise: 'none',
    flags: '--redis-sentinel-user <name>',
    text: 'user of the Redis Sentinels; else their default one',
  },
  'store.sentinelCaCert': {
    kind: 'text',
    otherwise: 'none',
    flags: '--redis-sentinel-ca-cert <file>',
    text: "authority that has signed the Redis Sentinels' certificates, PEM; else that of the servers",
  },
  'store.caCert': {
    kind: 'text',
    otherwise: 'none',
    flags: '--redis-ca-cert <file>',
    text: "authority that has signed the Redis server's certificate, PEM",
    more: '; else those that Node trusts',
  },
  'store.cert': {
    kind: 'text',
    otherwise: 'none',
    flags: '--redis-cert <file>',
    text: 'certificate by which the Redis server knows this client, PEM',
  },
  'store.key': { kind: 'text', otherwise: 'none', flags: '--redis-key <file>', text: 'key of that certificate, PEM' },
  'store.expireAfter': {
    kind: 'duration',
    otherwise: '168h (7 days)',
    flags: '--redis-expire-after <duration>',
    text: 'so long after its end the keys of a finished run expire on the server; `0s`: never',
    more: ' ([redis.md](redis.md))',
    help: 'how long the server keeps the keys of a finished run; 0s: for ever (default: 168h)',
  },
  raw: { kind: 'switch', default: false, flags: '--raw', text: 'each line is any JSON value; its custom_id is the line number' },
  onInvalid: {
    kind: 'choice',
    choices: ['record', 'fail'],
    default: 'record',
    flags: '--on-invalid <what>',
    text: 'bad lines: record them as errors, or refuse the run',
  },
  order: { kind: 'choice', choices: ['input', 'completion'], default: 'input', flags: '--order <order>', text: 'of the output lines' },
  limit: { kind: 'count', least: 1, otherwise: 'all', flags: '--limit <n>', text: 'only the first n items' },
  maxLineBytes: { kind: 'lineSize', default: '8MiB', text: 'longer lines become errors' },
  // Five failures outlast a server's restart and a rare fault, and an item that always fails is not paid for again and again.
  maxAttempts: {
    kind: 'count',
    least: 1,
    most: MOST_ATTEMPTS as number,
    default: 5,
    flags: '--max-attempts <n>',
    text: 'failures of an item until it is recorded as failed; those of a server that fails every item do not count',
    more: ' ([answers.md](answers.md))',
  },
  // So many refusals in a row are no item's own fault, and few enough requests are spent on finding out.
  breaker: {
    kind: 'count',
    least: 1,
    default: 20,
    text: 'how many refusals in a row pause the run',
    more: '. Once an item has a result: of each worker that has items, items that all its servers refuse (401, 403, 404, ...). Before that one such item pauses the run, and so do this many items that are refused by themselves (400, 413, 422, ...)',
  },
  // Some minutes without any result are usual while a model loads; a longer time is worth a message.
  stallAfter: {
    kind: 'interval',
    default: '3m',
    text: 'where no item has ended for so long, and for ten times the longest item time seen, the run says that it has stalled and why: in progress, `rollout status` and the event `run_stalled`',
  },
  stallTimeout: {
    kind: 'interval',
    otherwise: 'never',
    flags: '--stall-timeout <duration>',
    text: 'end with 4, everything kept, where no item has ended for so long (off by default)',
    more: '; the error is `RUN_STALLED`, and the next start goes on. Choose it well above the time of the longest item',
  },
  maxFailedItems: {
    kind: 'failureLimit',
    otherwise: 'none',
    flags: '--max-failed <n|n%>',
    text: 'pause the run once more items than this have failed; a number, or a share of all',
    more: ' such as `5%`. Bad lines count as well. The pause (exit 5) keeps everything, and the run can go on with a higher limit',
  },
  // A model's answers differ and second attempts cost money: they have to be asked for.
  stragglers: {
    kind: 'switch',
    default: false,
    flags: '--stragglers',
    text: 'at the end of the list, give idle workers a second attempt of items that run long',
    more: ' (over 1.5 times the median); the first that ends is the record, the other is stopped',
  },
  'results.place': {
    kind: 'choice',
    choices: ['directory', 'inline'],
    otherwise: 'as the run was begun, else `directory`',
    flags: '--results <place>',
    text: 'where results are kept until they are exported: in the state directory, or beside the ledger in Redis (small runs)',
    more: ' ([redis.md](redis.md#results-in-redis))',
  },
  'results.inlineLimit': {
    kind: 'size',
    otherwise: '64MiB',
    flags: '--inline-limit <size>',
    text: 'how much the results in Redis may take; a run that needs more ends with 4, and goes on with a higher limit',
  },
  'results.model': {
    kind: 'text',
    otherwise: 'none',
    flags: '--model <name>',
    text: "part of the run's identity; workers apply it",
  },
  'results.overrideModel': {
    kind: 'text',
    otherwise: 'none',
    flags: '--override-model <name>',
    text: "part of the run's identity; workers apply it",
  },
  events: { kind: 'text', default: 'stdout', text: '`stdout`, `none`, or the path of a file' },
  logLevel: {
    kind: 'choice',
    choices: ['debug', 'info', 'warn', 'error', 'silent'],
    default: 'info',
    flags: '--log-level <level>',
    text: 'how much is logged',
    more: '; logs go to stderr, a JSON object a line (`level` 20 debug, 30 info, 40 warn, 50 error; `time` in ms since 1970); only the reason of an end and the making of a CA are plain text',
    help: 'of the processes, in <state>/logs',
  },
  // Below the 30 s that orchestrators usually leave between SIGTERM and SIGKILL.
  drainTimeout: {
    kind: 'duration',
    default: '20s',
    flags: '--drain-timeout <duration>',
    text: 'how long a run that is being paused waits for items in flight',
    help: 'what Ctrl-C leaves for items in flight',
  },
  // For an orchestrator that would start a process anew which has ended, and that asks for the outcome of the run.
  serveAfterEnd: {
    kind: 'switch',
    default: false,
    text: 'answer status after the end of the run until told to end; without it the process ends',
  },
  'hints.file': {
    kind: 'text',
    otherwise: 'none',
    text: 'file with hints for nodes and workers, see above; it need not exist yet',
  },
} as const;
