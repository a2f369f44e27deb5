import type { Goal } from './goal.ts';

/** How a cluster and a namespace are found. */
export interface ClusterArguments {
  readonly namespace?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
}

export interface CreateArguments {
  readonly filename?: string;
  readonly fromRunFile?: string;
  readonly modelImage?: string;
  readonly parallelism?: number;
  readonly concurrency?: number;
  /** True: as `client`. */
  readonly dryRun?: true | 'client' | 'server';
  readonly json: boolean;
}

export interface ValidateArguments {
  readonly filename?: string;
  readonly items?: string;
  readonly raw: boolean;
  readonly server: boolean;
  readonly json: boolean;
}

export interface StatusArguments {
  readonly watch: boolean;
  readonly json: boolean;
}

export interface ListArguments {
  readonly allNamespaces: boolean;
  readonly json: boolean;
}

export interface JsonArguments {
  readonly json: boolean;
}

export interface DrainArguments {
  /** A duration. */
  readonly deadline?: string;
  readonly wait: boolean;
  readonly json: boolean;
}

export interface SuspendArguments {
  readonly wait: boolean;
  /** A duration. */
  readonly timeout?: string;
  readonly json: boolean;
}

export interface CancelArguments {
  readonly yes: boolean;
  readonly wait: boolean;
  readonly json: boolean;
}

export interface WaitArguments {
  readonly for: Goal;
  /** A duration. */
  readonly timeout?: string;
  readonly json: boolean;
}

export interface ResultsArguments {
  readonly errors: boolean;
  readonly verify: boolean;
  readonly partial: boolean;
  /** Lines of the list instead of results: those without a record, those whose record is a failure. */
  readonly remaining: boolean;
  readonly failed: boolean;
}
