import { lookup } from 'node:dns/promises';

/** Whether the name servers say that the host of `host:port` does not exist. One that does not answer, or cannot, says nothing about it. */
export async function isHostUnknown(address: string): Promise<boolean> {
  try {
    await lookup(address.slice(0, address.lastIndexOf(':')));
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOTFOUND';
  }
}
