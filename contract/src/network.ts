// Whom a limit of an address counts. Shared by service and vault.

/** Eight numbers of an IPv6 address, in whatever spelling. */
function groupsOf(address: string): number[] {
  // The URL parser writes every spelling in one way, RFC 5952.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const read = (text = '') => (text === '' ? [] : text.split(':').map((hex) => parseInt(hex, 16)));
  const left = read(head);
  const right = read(tail);
  return [...left, ...Array<number>(8 - left.length - right.length).fill(0), ...right];
}

/**
 * An IPv4 address as it is, or the /64 of an IPv6 one, of which a single visitor has as many addresses
 * as it likes. `address` must be known to be one, without port or zone.
 */
export function networkOfAddress(address: string): string {
  if (!address.includes(':')) return address;
  const groups = groupsOf(address);
  const [high = 0, low = 0] = groups.slice(6);
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff) {
    return [high >> 8, high & 255, low >> 8, low & 255].join('.');
  }
  const network = groups.slice(0, 4).map((group) => group.toString(16));
  return `${network.join(':')}::/64`;
}
