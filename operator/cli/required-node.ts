import { RolloutError } from '../../runtime/base/errors.ts';

/** The oldest Node that the client of the cluster runs on; all else needs less. */
const OLDEST = [22, 19] as const;

/** `version`: such as `24.1.0`. Throws USAGE where it is too old. */
export function requireClientNode(version: string): void {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isTooOld = major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]);
  if (isTooOld) throw new RolloutError('USAGE', `Node ${version} is too old to ask a cluster: install Node ${OLDEST.join('.')} or later`);
}
