import type { RunArguments } from './arguments.ts';

/** Where the value of an option goes: coordinator.yaml, its `results`; worker.yaml, its `backend` of either type. */
export type Target = 'coordinator' | 'results' | 'worker' | 'openai' | 'mock';

export interface RunOption<Value = unknown> {
  /** As commander reads it; what takes no value is a switch. */
  readonly flags: string;
  readonly help: string;
  /** Checks the text and makes the value; `before` is that of an earlier use of the same option. */
  readonly value?: (text: string, before: never) => Value;
  readonly choices?: readonly (Value & string)[];
  readonly default?: Value;
  /** What the help text says in place of the default. */
  readonly shownDefault?: string;
  readonly isRequired?: true;
  readonly isHidden?: true;
  /** Only of this verb; otherwise of `rollout run` and `rollout retry`. */
  readonly of?: 'run' | 'retry';
  /** The setting that it becomes, in each place that has it. */
  readonly to?: Readonly<Partial<Record<Target, string>>>;
}

type Always<Value> = RunOption<Value> & ({ readonly default: Value } | { readonly isRequired: true });

/** One option for each argument; one that is always there has a default or is required. */
export type Options = {
  readonly [Name in keyof Required<RunArguments>]: undefined extends RunArguments[Name]
    ? RunOption<NonNullable<RunArguments[Name]>>
    : Always<RunArguments[Name]>;
};
