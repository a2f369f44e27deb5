import type { ExitCode } from '../../base/exit.ts';

/** What a server of results shows, by the last part of the path. */
export interface Pages {
  readonly files: ReadonlyMap<string, string>;
  /** What is done when it is asked for, and told as JSON. */
  readonly answers: ReadonlyMap<string, () => Promise<PageAnswer>>;
}

export interface PageAnswer {
  readonly body: string;
  readonly exit: ExitCode;
}
