import { FLAGS } from '../run-settings.ts';

/** The processes name settings as their files do; the user of `rollout run` knows the flags. Pure. */

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
