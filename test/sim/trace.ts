const FNV_PRIME = 0x01000193;
/** How much of a world's end is kept to be shown. */
const KEPT_LINES = 4_000;

/**
 * What has happened, as a rolling hash: two runs of a seed must have the same one. Where they differ, chance that is not the seed's
 * has come in, and no failure of that world could be repeated. The lines themselves are kept only where somebody wants to read them.
 */
export class Trace {
  #low = 0x811c9dc5;
  #high = 0x01234567;
  #count = 0;
  readonly #lines: string[] | null;
  readonly #nowMs: () => number;

  constructor(isKept: boolean, nowMs: () => number) {
    this.#lines = isKept ? [] : null;
    this.#nowMs = nowMs;
  }

  note(what: string, detail: string | number = ''): void {
    this.#number(this.#nowMs() * 1_000);
    this.#text(what);
    if (typeof detail === 'number') this.#number(detail);
    else this.#text(detail);
    this.#count += 1;
    if (this.#lines === null) return;
    this.#lines.push(`${this.#nowMs().toFixed(1)} ${what} ${detail}`);
    if (this.#lines.length > 2 * KEPT_LINES) this.#lines.splice(0, KEPT_LINES);
  }

  /** An event of the world, whatever it was. */
  tick(): void {
    this.#number(this.#nowMs() * 1_000);
    this.#count += 1;
  }

  get isKept(): boolean {
    return this.#lines !== null;
  }

  hash(): string {
    const part = (value: number): string => (value >>> 0).toString(16).padStart(8, '0');
    return `${part(this.#high)}${part(this.#low)}/${this.#count}`;
  }

  lines(): readonly string[] {
    return this.#lines ?? [];
  }

  #number(value: number): void {
    this.#mix(value | 0);
    this.#mix((value / 2 ** 32) | 0);
  }

  #text(text: string): void {
    for (let at = 0; at < text.length; at += 1) this.#mix(text.charCodeAt(at));
  }

  #mix(value: number): void {
    this.#low = Math.imul(this.#low ^ value, FNV_PRIME);
    this.#high = Math.imul((this.#high ^ this.#low) + (value << 7), 0x9e3779b1);
  }
}
