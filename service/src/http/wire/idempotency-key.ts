import { containsCardNumber } from '@svc/contract/vault/card-number';
import { Refusal } from '../../domain/protocol/refusal.ts';

/** Returns the values of a header in the order received; Node joins or drops repetitions elsewhere. */
export function headerValues(rawHeaders: readonly string[], name: string): string[] {
  const values: string[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]?.toLowerCase() === name) values.push(rawHeaders[i + 1] ?? '');
  }
  return values;
}

/**
 * Returns the key exactly as sent: `"abc"` and `abc` are two keys. Throws idempotency_key_required
 * when missing or blank, idempotency_key_invalid when repeated, over 255 characters or not
 * printable ASCII, raw_card_data_forbidden when it contains a card number. Contract §1.
 */
export function readIdempotencyKey(rawHeaders: readonly string[]): string {
  const key = findIdempotencyKey(rawHeaders);
  if (key === null || key.trim() === '') throw new Refusal('idempotency_key_required');
  return key;
}

/** The same where a key may be missing: null. A blank one is returned as it is. */
function findIdempotencyKey(rawHeaders: readonly string[]): string | null {
  const values = headerValues(rawHeaders, 'idempotency-key');
  if (values.length > 1) throw new Refusal('idempotency_key_invalid');
  const [key] = values;
  if (key === undefined || key.trim() === '') return key ?? null;
  if (!/^[\x20-\x7e]{1,255}$/.test(key)) throw new Refusal('idempotency_key_invalid');
  // Keys are stored and shown in events.
  if (containsCardNumber(key)) throw new Refusal('raw_card_data_forbidden');
  return key;
}

/** Returns the key of a call that needs none; null where there is none. Throws as the above. */
export function readOptionalKey(rawHeaders: readonly string[]): string | null {
  const key = findIdempotencyKey(rawHeaders);
  if (key?.trim() === '') throw new Refusal('idempotency_key_invalid');
  return key;
}
