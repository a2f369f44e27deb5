import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the ports that the system gives to connections by itself: a server that is started again after a while finds its port free, and
 * nobody who calls it meanwhile is given that port for his own end.
 */
const LOWEST = 12_000;
const HIGHEST = 32_000;

/** A port that nothing listens on now. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST));
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  try {
    await once(probe.listen(port), 'listening');
    probe.close();
    await once(probe, 'close');
    return true;
  } catch {
    return false;
  }
}
