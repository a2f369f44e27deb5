/** `--wait-backend` of `--wait-backend <duration>`. */
export function flagOf(flags: string): string {
  return flags.split(' ')[0] ?? flags;
}

/** The name that commander gives to the value of a flag: `waitBackend` of `--wait-backend <duration>`. */
export function argumentOf(flags: string): string {
  return flagOf(flags)
    .slice('--'.length)
    .replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
