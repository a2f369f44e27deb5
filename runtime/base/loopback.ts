import { networkInterfaces } from 'node:os';

type Interfaces = Readonly<Record<string, readonly { readonly address: string }[] | undefined>>;

/** The loopback address as written in `host:port`: the IPv4 one, or the IPv6 one on a host that has only IPv6. */
export function loopback(interfaces: Interfaces = networkInterfaces()): '127.0.0.1' | '[::1]' {
  const addresses = Object.values(interfaces).flatMap((all) => all?.map((one) => one.address) ?? []);
  return addresses.includes('::1') && !addresses.some((address) => address.startsWith('127.')) ? '[::1]' : '127.0.0.1';
}
