// The stored form of answers and of event payloads. The first byte names the format: plain UTF-8 is
// written, and rows that were deflated (RFC 1951) with a dictionary are still read. The views
// readable_events and readable_operations show plain texts in SQL. docs/decisions/money-operations.md.

import assert from 'node:assert';
import { inflateRawSync } from 'node:zlib';

/** Format 0: plain UTF-8. */
const plain = 0;

// A dictionary is part of the format: rows packed with it cannot be read without it. Never change one.
const dictionaries: ReadonlyMap<number, Buffer> = new Map([
  [
    1,
    Buffer.from(
      '{"id":"evt_01a","object":"event","type":"checkout.session.completed","payment.capture_failed",' +
        '"payment.authorization_voided","payment.authorized","refund.created","refund.succeeded",' +
        '"resource":{"type":"checkout_session","id":"01a","request":null,"previousAttributes":{' +
        '"failure":{"code":"card_declined","message":"attempt":1}}' +
        '{"id":"evt_01a","object":"event","type":"item.purchased","created":17,"timestamp":"2026-' +
        '01-01T00:00:00.000Z","apiVersion":"2026-","clientId":"01a","livemode":true,"sequence":2,' +
        '"resource":{"type":"payment","id":"01a","version":2},"request":{"id":"req_",' +
        '"idempotencyKey":"capture-"},"data":{"object":{"paymentId":"01a","sessionId":"01a",' +
        '"clientId":"01a","customer":{"userId":null,"email":null},"items":[{"code":"","name":"",' +
        '"quantity":1,"totalAmount":10,"currency":"EUR"},{"code":"","name":"","quantity":2}],' +
        '"amount":10,"currency":"EUR","purchasedAt":"2026-01-01T00:00:00.000Z"}}}' +
        '{"code":"payment_not_authorized"}{"id":"01a","object":"payment","clientId":"01a",' +
        '"sessionId":"01a","userId":null,"email":null,"type":"refund","status":"refund_failed",' +
        '"amount":1,"gatewayChargeId":"ch_","authorizationVoidReason":"merchant_requested"' +
        '"failureCode":"expired_or_canceled_card","processing","provider":"wallet","voided",' +
        '"brand":"mastercard","reason":"requested_by_customer","capturedAt":null,"voidedAt":"2026-"}' +
        '{"id":"01a","object":"payment","clientId":"01a","sessionId":"01a","userId":"","email":"' +
        '@example.com","type":"purchase","status":"succeeded","amount":10,"amountMinor":1000,' +
        '"currency":"EUR","amountCaptured":10,"amountRefunded":0,"amountRefundable":10,' +
        '"captureMethod":"manual","provider":"cardprovider","gatewayId":"01a","gatewayChargeId":' +
        '"ch_3","paymentMethod":{"id":null,"type":"card","brand":"visa","lastFour":"4242",' +
        '"expiryMonth":12,"expiryYear":2030},"parentPaymentId":null,"financialEffectiveAt":' +
        '"2026-01-01T00:00:00.000Z","authorizationExpiresAt":"2026-01-07T00:00:00.000Z",' +
        '"authorizationVoidReason":null,"failureCode":null,"declineCode":null,"failureMessage":' +
        'null,"metadata":{},"livemode":true,"version":2,"createdAt":"2026-01-01T00:00:00.000Z",' +
        '"updatedAt":"2026-01-01T00:00:00.000Z","authorizedAt":"2026-01-01T00:00:00.000Z",' +
        '"capturedAt":"2026-01-01T00:00:00.000Z","voidedAt":null}',
    ),
  ],
]);

/** Returns the bytes of a text for a `bytea` column. */
export const storeText = (text: string): Buffer => Buffer.from(`\0${text}`);

/**
 * Returns the text, byte for byte; throws on bytes of an unknown format. `words` is the text that a
 * packed value shares with other columns of its row.
 */
export const readStored = (stored: Buffer, words = ''): string =>
  readStoredBytes(stored, words).toString();

/** Most texts fit into one chunk of this size, so little memory is reserved for each. */
const unpackedChunk = 2048;

/** Returns the UTF-8 bytes of the text. They may be a view of the stored buffer. */
export function readStoredBytes(stored: Buffer, words = ''): Buffer {
  const [format = -1] = stored;
  const rest = stored.subarray(1);
  if (format === plain) return rest;
  const known = dictionaries.get(format);
  assert(known, `a stored text has an unknown format: ${format}`);
  const dictionary = words === '' ? known : Buffer.concat([known, Buffer.from(words)]);
  return inflateRawSync(rest, { dictionary, chunkSize: unpackedChunk });
}
