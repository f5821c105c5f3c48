import { isIP, isIPv4 } from 'node:net';

/** As proxies write an address: `203.0.113.9:4711`, `[2001:db8::1]:443`, `fe80::1%eth0`. */
function bare(written: string): string | undefined {
  const [, bracketed] = /^\[([^\]]+)\](?::\d{1,5})?$/.exec(written) ?? [];
  const [, before] = /^([\d.]+):\d{1,5}$/.exec(written) ?? [];
  const address = (bracketed ?? before ?? written).replace(/%.*$/, '');
  return isIP(address) ? address : undefined;
}

/** Eight numbers; the address is known to be one. */
function groupsOf(address: string): number[] {
  // The URL parser writes every spelling in one way, RFC 5952.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const read = (text = '') => (text === '' ? [] : text.split(':').map((hex) => parseInt(hex, 16)));
  const left = read(head);
  const right = read(tail);
  return [...left, ...Array<number>(8 - left.length - right.length).fill(0), ...right];
}

type Visit = {
  readonly ip: string;
  readonly socket: { readonly remoteAddress?: string | undefined };
};

/**
 * Whom limits of an address count: an IPv4 address, or the /64 of an IPv6 one, of which a single
 * visitor has as many addresses as it likes. `ip` is what the trusted proxies say; where that is no
 * address, the one that the connection comes from counts.
 */
export function networkOf({ ip, socket }: Visit): string {
  const known = last.get(socket);
  if (known?.ip === ip) return known.network;
  const network = findNetwork(ip, socket);
  last.set(socket, { ip, network });
  return network;
}

/** A connection mostly brings the same visitor again. */
const last = new WeakMap<Visit['socket'], { readonly ip: string; readonly network: string }>();

function findNetwork(ip: string, socket: Visit['socket']): string {
  const address = bare(ip) ?? bare(socket.remoteAddress ?? '');
  if (address === undefined) return 'unknown';
  if (isIPv4(address)) return address;
  const groups = groupsOf(address);
  const [high = 0, low = 0] = groups.slice(6);
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff) {
    return [high >> 8, high & 255, low >> 8, low & 255].join('.');
  }
  const network = groups.slice(0, 4).map((group) => group.toString(16));
  return `${network.join(':')}::/64`;
}
