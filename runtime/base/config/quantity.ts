/** Quantities as people write them in settings: `500ms`, `5s`, `15m`, `2h`; `512B`, `64KiB`, `8MiB`, `1GiB`. */

const MS_PER_UNIT: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
]);

const BYTES_PER_UNIT: ReadonlyMap<string, number> = new Map([
  ['B', 1],
  ['KiB', 1024],
  ['MiB', 1024 ** 2],
  ['GiB', 1024 ** 3],
]);

export const DURATION_FORM = 'a duration with a unit, such as 500ms, 5s, 15m or 2h';
export const SIZE_FORM = 'a size with a unit, such as 512B, 64KiB or 8MiB';

/** Milliseconds, or null where `text` is no duration. A number without a unit is refused: nobody can tell what it means. */
export function parseDurationMs(text: string): number | null {
  return parseQuantity(text, MS_PER_UNIT);
}

/** Bytes, or null where `text` is no size. */
export function parseSizeBytes(text: string): number | null {
  return parseQuantity(text, BYTES_PER_UNIT);
}

/** The shortest whole form: 4000 → `4s`, 1500 → `1500ms`. */
export function formatDuration(ms: number): string {
  const units = [...MS_PER_UNIT].reverse();
  const [name, size] = units.find(([, unitMs]) => ms !== 0 && ms % unitMs === 0) ?? ['ms', 1];
  return `${ms / size}${name}`;
}

/** 1536 → `1.5 KiB`; rounded down, so that what is too little never reads like enough. */
export function formatSize(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  const value = Math.floor((bytes / 1024 ** power) * 10) / 10;
  return `${power === 0 ? value : value.toFixed(1)} ${units[power]}`;
}

/** `1 line`, `2 lines`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function parseQuantity(text: string, units: ReadonlyMap<string, number>): number | null {
  const match = /^(\d+(?:\.\d+)?) ?([A-Za-z]+)$/.exec(text.trim());
  const unit = units.get(match?.[2] ?? '');
  if (unit === undefined) return null;
  const quantity = Math.round(Number(match?.[1]) * unit);
  return Number.isSafeInteger(quantity) ? quantity : null;
}
