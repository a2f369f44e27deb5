/** How a verb finds its run: `--state DIR`, else the only `*.rollout` directory below the folder. */
export interface FindArguments {
  readonly state?: string;
  readonly json: boolean;
}

export interface CoordinatorArguments {
  readonly config: string;
  readonly resume: boolean;
  readonly retryFailed: boolean;
  readonly rerunDamaged: boolean;
}

export interface TestFenceArguments {
  readonly state?: string;
  readonly redis?: string;
  readonly spin: boolean;
  readonly hang: boolean;
}

export interface StatusArguments extends FindArguments {
  readonly watch: boolean;
}

export interface DrainArguments extends FindArguments {
  readonly deadline?: string;
  readonly reason?: string;
  readonly wait: boolean;
}

export interface ExportArguments extends FindArguments {
  readonly partial: boolean;
  /** Lines of the input instead of results: those without a record, those whose record is a failure. */
  readonly remaining: boolean;
  readonly failed: boolean;
  readonly order?: 'input' | 'completion';
  readonly output?: string;
  readonly overwrite: boolean;
}
