import { argumentOf } from '../settings/flag.ts';
import type { Settings } from '../settings/setting.ts';
import type { RunArguments } from './arguments.ts';
import type { RunOption } from './run-option.ts';
import { RUN_OPTIONS } from './run-options.ts';

export function optionsOf(verb: 'run' | 'retry'): readonly RunOption[] {
  return Object.values(RUN_OPTIONS).filter((option) => option.of === undefined || option.of === verb);
}

/** The settings of a table that the arguments give, as a file has them; what is not given is left out. */
export function settingsFrom(table: Settings, args: RunArguments): Readonly<Record<string, unknown>> {
  const given: Readonly<Record<string, unknown>> = { ...args };
  const file: Record<string, unknown> = {};
  for (const [path, { flags }] of Object.entries(table)) {
    const value = flags === undefined ? undefined : given[argumentOf(flags)];
    if (value === undefined) continue;
    const [block = path, name] = path.split('.');
    file[block] = name === undefined ? value : { ...(file[block] as object | undefined), [name]: value };
  }
  return file;
}
