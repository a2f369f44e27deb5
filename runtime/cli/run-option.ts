import type { Setting } from '../settings/setting.ts';
import { type Parser, parserOf } from './option-values.ts';

/** An option of `rollout run`. */
export interface RunOption {
  /** As commander reads it; what takes no value is a switch. */
  readonly flags: string;
  readonly help: string;
  readonly value?: Parser | undefined;
  readonly choices?: readonly string[] | undefined;
  readonly default?: unknown;
  /** What the help text says in place of the default. */
  readonly shownDefault?: string | undefined;
  readonly isRequired?: boolean;
  readonly isHidden?: true;
  /** Only of this verb; otherwise of `rollout run` and `rollout retry`. */
  readonly of?: 'run' | 'retry';
}

/** The option that gives a setting. */
export function optionOf(setting: Setting & { readonly flags: string }): RunOption {
  return {
    flags: setting.flags,
    help: setting.help ?? setting.text.replaceAll('`', ''),
    value: parserOf(setting),
    choices: setting.kind === 'choice' ? setting.choices : undefined,
    ...defaultOf(setting),
  };
}

function defaultOf(setting: Setting): Pick<RunOption, 'default' | 'shownDefault' | 'isRequired'> {
  // One that may be repeated begins with none; arguments.ts checks whether one is needed.
  if (setting.kind === 'urls') return { default: [], shownDefault: 'none' };
  return 'default' in setting ? { default: setting.default } : { isRequired: setting.otherwise === undefined };
}
