/**
 * Whom limits of an address count: an IPv4 address, or the /64 of an IPv6 one, of which a single
 * visitor has as many addresses as it likes.
 */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+(?:\.\d+){3})$/i.exec(address)?.[1];
  if (mapped) return mapped;
  if (!address.includes(':')) return address;
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::');
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':'));
  const left = groups(head);
  const right = groups(tail ?? '');
  const gap = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length);
  const all = [...left, ...Array<string>(gap).fill('0'), ...right];
  const shown = all.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${shown.join(':')}::/64`;
}
