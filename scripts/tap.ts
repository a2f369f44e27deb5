/** Reads what `ava --tap` prints, line by line (Test Anything Protocol 13). */

export type TapEvent =
  | { readonly kind: 'passed'; readonly title: string }
  /** `details` is the whole YAML block that follows: message, differences, stack. */
  | { readonly kind: 'failed'; readonly title: string; readonly details: readonly string[] }
  /** A skipped or planned test; the house allows none, so it counts as failed. */
  | { readonly kind: 'skipped'; readonly title: string };

const RESULT = /^(ok|not ok) \d+ - (.*)$/;
/** The plan and the totals at the end. */
const CLOSING = /^(?:1\.\.\d+|# (?:tests|pass|fail|skip|todo) \d+)$/;
const SKIPPED = / # (?:SKIP|TODO)\b.*$/;

export class TapReader {
  #open: { readonly title: string; readonly details: string[] } | null = null;

  /** Events that this line completes: a failure is complete at the line after its details. */
  line(text: string): readonly TapEvent[] {
    if (CLOSING.test(text)) return this.end();
    const result = RESULT.exec(text);
    if (result === null) {
      if (this.#open !== null && text.trim() !== '') this.#open.details.push(text);
      return [];
    }
    const events = [...this.end()];
    const [, verdict = '', title = ''] = result;
    if (SKIPPED.test(title)) events.push({ kind: 'skipped', title: title.replace(SKIPPED, '') });
    else if (verdict === 'ok') events.push({ kind: 'passed', title });
    else this.#open = { title, details: [] };
    return events;
  }

  end(): readonly TapEvent[] {
    const open = this.#open;
    this.#open = null;
    return open === null ? [] : [{ kind: 'failed', ...open }];
  }
}
