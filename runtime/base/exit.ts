/** Exit codes of every command, documented in the README. */
export const EXIT = {
  done: 0,
  someFailed: 1,
  usage: 2,
  fenced: 3,
  notReachable: 4,
  paused: 5,
  verifyBroken: 6,
  interrupted: 130,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
