/** Which permissions an output file has. Pure. */

const READ_AND_WRITE = 0o666;
const OWNER = 0o600;

/**
 * Answers are as private as the prompts: of the input's mode and the umask, the stricter one holds. Standard input has no mode of its own
 * (null). The owner may always read and write the file.
 */
export function outputMode(inputMode: number | null, umask: number): number {
  return ((inputMode ?? READ_AND_WRITE) & READ_AND_WRITE & ~umask) | OWNER;
}
