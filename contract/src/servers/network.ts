// Which network a rate limit per address counts. Shared by service and vault.

/** Returns the eight numbers of an IPv6 address in any spelling. */
function groupsOf(address: string): number[] {
  // The URL parser writes every spelling in one way, RFC 5952.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const parseGroups = (text = '') =>
    text === '' ? [] : text.split(':').map((hex) => parseInt(hex, 16));
  const left = parseGroups(head);
  const right = parseGroups(tail);
  return [...left, ...Array<number>(8 - left.length - right.length).fill(0), ...right];
}

/**
 * Returns an IPv4 address unchanged, and the /64 network of an IPv6 address, because one visitor can use
 * any address of a /64. `address` must be a valid address without port or zone.
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
