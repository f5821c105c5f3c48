// The network addresses to which a delivery may go. IPv4 addresses are stored as ::ffff:0:0/96, so
// that an address is judged the same in whichever form it was written. Threat: requests into our
// own network, forged through an endpoint's URL.

/** An IPv6 address as a number of 128 bits. */
export type Address = bigint;

export type Network = { readonly base: Address; readonly prefix: number };

const mapped = 0xffffn << 32n;

function parseV4(text: string): bigint | null {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part))) return null;
  const numbers = parts.map(Number);
  if (numbers.some((number) => number > 255)) return null;
  return numbers.reduce((sum, number) => (sum << 8n) | BigInt(number), 0n);
}

/** Reads the groups on one side of `::`; an IPv4 address at the very end counts as two groups. */
function parseGroups(text: string, isEnd: boolean): bigint[] | null {
  if (text === '') return [];
  const groups: bigint[] = [];
  const parts = text.split(':');
  for (const [index, part] of parts.entries()) {
    if (/^[0-9a-f]{1,4}$/i.test(part)) {
      groups.push(BigInt(`0x${part}`));
      continue;
    }
    const inner = isEnd && index === parts.length - 1 ? parseV4(part) : null;
    if (inner === null) return null;
    groups.push(inner >> 16n, inner & 0xffffn);
  }
  return groups;
}

/**
 * Reads an address; null when the text is none. A zone (`%eth0`) is ignored, because its address is
 * link-local and so refused anyway.
 */
export function parseAddress(text: string): Address | null {
  const v4 = parseV4(text);
  if (v4 !== null) return mapped | v4;
  const [bare = ''] = text.split('%');
  const sides = bare.split('::');
  if (!bare.includes(':') || sides.length > 2) return null;
  const head = parseGroups(sides[0] ?? '', sides.length === 1);
  const tail = parseGroups(sides[1] ?? '', true);
  if (head === null || tail === null) return null;
  const missing = 8 - head.length - tail.length;
  if (sides.length === 2 ? missing < 1 : missing !== 0) return null;
  const groups = [...head, ...Array<bigint>(missing).fill(0n), ...tail];
  return groups.reduce((sum, group) => (sum << 16n) | group, 0n);
}

/** Reads a network in CIDR form, or a single address. Throws on anything else. */
export function parseNetwork(text: string): Network {
  const [address = '', length, ...rest] = text.trim().split('/');
  const base = parseAddress(address);
  const isV4 = !address.includes(':');
  const width = isV4 ? 32 : 128;
  const bits = length === undefined ? width : /^\d{1,3}$/.test(length) ? Number(length) : -1;
  if (base === null || rest.length > 0 || bits < 0 || bits > width) {
    throw new Error(`"${text}" is no network in CIDR form, such as 127.0.0.0/8`);
  }
  return { base, prefix: isV4 ? bits + 96 : bits };
}

export function isWithin(address: Address, networks: readonly Network[]): boolean {
  return networks.some(({ base, prefix }) => {
    const rest = BigInt(128 - prefix);
    return address >> rest === base >> rest;
  });
}

const v4 = [parseNetwork('::ffff:0:0/96')];
const globalV6 = [parseNetwork('2000::/3')];

// From the IANA registries of special-purpose addresses. IPv6 outside 2000::/3 (loopback, unique
// local, link-local, site-local, multicast, NAT64, discard) does not count as public, so it is not
// listed.
const reserved = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
].map(parseNetwork);

/** True for a public address, which anybody on the Internet may reach. */
export function isPublic(address: Address): boolean {
  return (isWithin(address, v4) || isWithin(address, globalV6)) && !isWithin(address, reserved);
}
