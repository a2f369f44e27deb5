/** The processes name settings as their files do; who gave a `rollout run` command knows the flags. Pure. */
export const FLAGS: Readonly<Record<string, string>> = {
  waitBackend: '--wait-backend',
  stallTimeout: '--stall-timeout',
  requestTimeout: '--timeout',
  drainTimeout: '--drain-timeout',
  minFreeSpace: '--min-free-space',
  maxAttempts: '--max-attempts',
  maxFailedItems: '--max-failed',
  maxAnswerBytes: '--max-answer-bytes',
  apiKeyEnv: '--api-key-env',
  onInvalid: '--on-invalid',
  baseUrl: '--base-url',
  apiKeyHeader: '--api-key-header',
  caCert: '--ca-cert',
};

const SETTING = new RegExp(`\\b(${Object.keys(FLAGS).join('|')})\\b(?: \\((\\d+) ms\\))?`, 'g');

/** `waitBackend (10000 ms)` reads as `--wait-backend 10s`. */
export function inFlagWords(line: string): string {
  return line.replaceAll(SETTING, (_all, setting: string, ms: string | undefined) => {
    const flag = FLAGS[setting] ?? setting;
    return ms === undefined ? flag : `${flag} ${flagDuration(Number(ms))}`;
  });
}

function flagDuration(ms: number): string {
  return ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`;
}
