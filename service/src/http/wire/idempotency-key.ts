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
  const values = headerValues(rawHeaders, 'idempotency-key');
  if (values.length > 1) throw new Refusal('idempotency_key_invalid');
  const [key] = values;
  if (key === undefined || key.trim() === '') throw new Refusal('idempotency_key_required');
  if (!/^[\x20-\x7e]{1,255}$/.test(key)) throw new Refusal('idempotency_key_invalid');
  // Keys are stored and shown in events.
  if (containsCardNumber(key)) throw new Refusal('raw_card_data_forbidden');
  return key;
}
