import { type Page, type Pages, textPage } from './endpoint.ts';

/** What has to hold: null where it does, else why it does not, in a few words. */
export type Check = () => string | null;

export interface Probes {
  /** Of `/healthz`: what only a restart mends. That it answers at all shows that the event loop runs. */
  readonly alive: Readonly<Record<string, Check>>;
  /** Of `/readyz`: what passes by itself, as caches that have not synced. */
  readonly ready: Readonly<Record<string, Check>>;
}

/** The pages that the kubelet asks for. A page lists all checks, so that a person who opens it sees which one fails. */
export function probePages({ alive, ready }: Probes): Pages {
  return { '/healthz': () => probePage(alive), '/readyz': () => probePage({ ...alive, ...ready }) };
}

function probePage(checks: Readonly<Record<string, Check>>): Page {
  const results = Object.entries(checks).map(([name, check]) => ({ name, why: check() }));
  const isOk = results.every(({ why }) => why === null);
  const lines = results.map(({ name, why }) => (why === null ? `[+] ${name}: ok` : `[-] ${name}: ${why}`));
  return textPage(isOk ? 200 : 503, [...lines, isOk ? 'ok' : 'failed'].join('\n'));
}
