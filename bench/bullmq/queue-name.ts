/** One queue for one list. */
export const QUEUE = 'bench';
