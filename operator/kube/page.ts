/** One page of a small HTTP server. */
export interface Page {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
  /** Beside those of its type and length. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** By path, without a query. */
export type Pages = Readonly<Record<string, () => Page | Promise<Page>>>;

export function textPage(status: number, body: string): Page {
  return { status, contentType: 'text/plain; charset=utf-8', body: `${body}\n` };
}
