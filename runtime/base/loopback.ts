import { networkInterfaces } from 'node:os';

type Interfaces = Readonly<Record<string, readonly { readonly address: string }[] | undefined>>;

/** The address at which this host reaches itself, as a `host:port` has it: of IPv4, or, on a host that has IPv6 alone, of that. */
export function loopback(interfaces: Interfaces = networkInterfaces()): '127.0.0.1' | '[::1]' {
  const addresses = Object.values(interfaces).flatMap((all) => all?.map((one) => one.address) ?? []);
  return addresses.includes('::1') && !addresses.some((address) => address.startsWith('127.')) ? '[::1]' : '127.0.0.1';
}
