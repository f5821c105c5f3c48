import { isIP } from 'node:net';
import { networkOfAddress } from '@svc/contract/servers/network';

/**
 * Returns the address in the forms that proxies write: `203.0.113.9:4711`, `[2001:db8::1]:443`,
 * `fe80::1%eth0`.
 */
function bareAddress(written: string): string | undefined {
  const [, bracketed] = /^\[([^\]]+)\](?::\d{1,5})?$/.exec(written) ?? [];
  const [, before] = /^([\d.]+):\d{1,5}$/.exec(written) ?? [];
  const address = (bracketed ?? before ?? written).replace(/%.*$/, '');
  return isIP(address) ? address : undefined;
}

type Visit = {
  readonly ip: string;
  readonly socket: { readonly remoteAddress?: string | undefined };
};

/**
 * Returns the network that limits per address are counted to: an IPv4 address, or the /64 of an
 * IPv6 address, in which a single visitor has as many addresses as it likes. `ip` is what the
 * trusted proxies state; when that is not an address, the connection's own address is used.
 */
export function networkOf({ ip, socket }: Visit): string {
  const known = last.get(socket);
  if (known?.ip === ip) return known.network;
  const network = findNetwork(ip, socket);
  last.set(socket, { ip, network });
  return network;
}

/** A connection usually brings the same visitor again. */
const last = new WeakMap<Visit['socket'], { readonly ip: string; readonly network: string }>();

function findNetwork(ip: string, socket: Visit['socket']): string {
  const address = bareAddress(ip) ?? bareAddress(socket.remoteAddress ?? '');
  if (address === undefined) return 'unknown';
  return networkOfAddress(address);
}
