/** Reads what `ava --tap` prints, line by line (Test Anything Protocol 13). */

export type TapEvent =
  | { readonly kind: 'passed'; readonly title: string }
  /** `details` is the whole YAML block that follows: message, differences, stack. */
  | { readonly kind: 'failed'; readonly title: string; readonly details: readonly string[] }
  /** A skipped or planned test; the house allows none, so it counts as failed. */
  | { readonly kind: 'skipped'; readonly title: string }
  /** A file ended with tests that never did: its process left, or nothing kept it alive. */
  | { readonly kind: 'remaining'; readonly file: string; readonly count: number }
  /** The plan, which ava prints last: the report is whole. */
  | { readonly kind: 'closed' };

const RESULT = /^(ok|not ok) \d+ - (.*)$/;
const PLAN = /^1\.\.\d+$/;
const TOTAL = /^# (?:tests|pass|fail|skip|todo) \d+$/;
const REMAINING = /^# (\d+) tests? remaining in (.*)$/;
const SKIPPED = / # (?:SKIP|TODO)\b.*$/;

export class TapReader {
  #open: { readonly title: string; readonly details: string[] } | null = null;

  /** Events that this line completes: a failure is complete at the line after its details. */
  line(text: string): readonly TapEvent[] {
    if (PLAN.test(text)) return [...this.end(), { kind: 'closed' }];
    if (TOTAL.test(text)) return this.end();
    const [, count, file] = REMAINING.exec(text) ?? [];
    if (file !== undefined) return [...this.end(), { kind: 'remaining', file, count: Number(count) }];
    const result = RESULT.exec(text);
    if (result !== null) return this.#onResult(result[1] ?? '', result[2] ?? '');
    if (this.#open !== null && text.trim() !== '') this.#open.details.push(text);
    return [];
  }

  end(): readonly TapEvent[] {
    const open = this.#open;
    this.#open = null;
    return open === null ? [] : [{ kind: 'failed', ...open }];
  }

  #onResult(verdict: string, title: string): readonly TapEvent[] {
    const events = this.end();
    if (SKIPPED.test(title)) return [...events, { kind: 'skipped', title: title.replace(SKIPPED, '') }];
    if (verdict === 'ok') return [...events, { kind: 'passed', title }];
    this.#open = { title, details: [] };
    return events;
  }
}
