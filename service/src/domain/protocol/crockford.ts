/** Crockford's base 32: digits and capital letters without I, L, O and U. */
export const crockford = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** The lowest `length` groups of five bits, as characters. */
export function writeCrockford(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest >>= 5n) {
    text = crockford.charAt(Number(rest & 31n)) + text;
  }
  return text;
}
