/** Texts for the columns of `kubectl get`. */

const MINUTE = 60;
const HOUR = 3_600;
const DAY = 86_400;

/** `total`: null before the list is read to its end. */
export function progressText(terminal: number, total: number | null): string {
  return `${terminal}/${total ?? '?'}`;
}

export function rateText(perSecond: number | null): string {
  if (perSecond === null) return '';
  return perSecond >= 100 ? `${Math.round(perSecond)}/s` : `${perSecond.toFixed(1)}/s`;
}

/** Empty where nothing can be said. */
export function etaText(left: number, perSecond: number | null): string {
  if (perSecond === null || perSecond <= 0 || left <= 0) return '';
  const seconds = Math.ceil(left / perSecond);
  if (seconds < MINUTE) return `${seconds}s`;
  if (seconds < HOUR) return `${Math.ceil(seconds / MINUTE)}m`;
  if (seconds < 2 * DAY) return `${Math.floor(seconds / HOUR)}h${Math.round((seconds % HOUR) / MINUTE)}m`;
  return `${Math.round(seconds / DAY)}d`;
}
