/** What the probe says on stdout: before it asks for the lock, and when it has it. The time in between is what is judged. */
export const PROBE_SAYS = { asking: 'asking', had: 'had' } as const;
