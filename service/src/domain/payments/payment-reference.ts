// A payment's short reference, for receipts and telephone calls.

import { crockford, writeCrockford } from '../protocol/crockford.ts';

/**
 * Eight characters from the last 40 bits of the id, which are random: `7F3K-2Q9M`. Without I, L, O
 * and U, which are misheard or misread. Two payments of a merchant may share a reference: about one
 * in a million million pairs does.
 */
export function referenceOf(paymentId: string): string {
  const text = writeCrockford(BigInt(`0x${paymentId.replaceAll('-', '').slice(-10)}`), 8);
  return `${text.slice(0, 4)}-${text.slice(4)}`;
}

/** The ten hexadecimal digits with which the ids of this reference end. */
export function idEndOf(reference: string): string {
  const bits = [...reference.replace('-', '')].reduce(
    (sum, letter) => (sum << 5n) | BigInt(crockford.indexOf(letter)),
    0n,
  );
  return bits.toString(16).padStart(10, '0');
}
