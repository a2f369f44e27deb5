import type { RunArguments } from './arguments.ts';
import type { RunOption, Target } from './run-option.ts';
import { RUN_OPTIONS } from './run-options.ts';

const OPTIONS: readonly (readonly [name: string, option: RunOption])[] = Object.entries<RunOption>(RUN_OPTIONS);

export function optionsOf(verb: 'run' | 'retry'): readonly RunOption[] {
  return OPTIONS.flatMap(([, option]) => (option.of === undefined || option.of === verb ? [option] : []));
}

/** The settings of one place that the arguments give; what is not given is left out. */
export function settingsFor(target: Target, args: RunArguments): Readonly<Record<string, unknown>> {
  const given: Readonly<Record<string, unknown>> = { ...args };
  return Object.fromEntries(
    OPTIONS.flatMap(([name, { to }]) => {
      const setting = to?.[target];
      return setting === undefined || given[name] === undefined ? [] : [[setting, given[name]]];
    }),
  );
}
