import { Command } from 'commander';
import { nearest } from '../base/config/nearest.ts';

/** Names a mistyped option before it looks for those that are missing: `--outptu` is not "--output is missing". */
export class RolloutCommand extends Command {
  override createCommand(name?: string): Command {
    return new RolloutCommand(name);
  }

  override parseOptions(args: string[]): ReturnType<Command['parseOptions']> {
    const parsed = super.parseOptions(args);
    const [unknown] = parsed.unknown;
    // One with subcommands hands on what it does not know.
    const isOwn = this.commands.length === 0 && !parsed.unknown.some((one) => HELP.includes(one));
    if (unknown !== undefined && isOwn) this.error(unknownOption(unknown, this.#names()), { code: 'commander.unknownOption' });
    return parsed;
  }

  #names(): readonly string[] {
    return this.options.flatMap(({ long, hidden }) => (long === undefined || hidden ? [] : [long]));
  }
}

const HELP: readonly string[] = ['-h', '--help'];

/** Shows no value: it may be a secret. */
function unknownOption(given: string, known: readonly string[]): string {
  const name = given.split('=')[0] ?? given;
  const meant = name.startsWith('--') ? nearest(name, [...known, '--help']) : null;
  return `error: unknown option ${name}${meant === null ? '' : `; did you mean ${meant}?`}`;
}
