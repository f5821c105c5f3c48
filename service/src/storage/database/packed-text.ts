// Stored answers and the bytes of events, packed: deflate (RFC 1951) with a dictionary, for one short text has little in
// itself that repeats. The first byte names the way, so that old rows stay readable whatever comes
// later. Decision 0037.

import assert from 'node:assert';
import { deflateRawSync, inflateRawSync } from 'node:zlib';

/** Byte 0: UTF-8 as it is. */
const plain = 0;

// A dictionary is part of the format: rows packed with it cannot be read without it. Never change
// one; add another. What is most alike stands last, where references to it are shortest.
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

const newest = 1;
const dictionary = dictionaries.get(newest) ?? Buffer.alloc(0);

// A window over dictionary and text, and small tables: both are made anew for each text.
const options = { level: 3, windowBits: 12, memLevel: 3, chunkSize: 1024 } as const;

const withWords = (known: Buffer, words: string): Buffer =>
  words === '' ? known : Buffer.concat([known, Buffer.from(words)]);

/**
 * Packs a text for a `bytea` column: a payment as JSON takes about a sixth. `words` are what the
 * text shares with other columns of its row, in one string; the same ones unpack it.
 */
export function packText(text: string, words = ''): Buffer {
  const packed = deflateRawSync(text, { ...options, dictionary: withWords(dictionary, words) });
  if (packed.length >= Buffer.byteLength(text)) return Buffer.from(`\0${text}`);
  return Buffer.concat([Buffer.of(newest), packed]);
}

/** The text as it was packed, byte for byte; throws on bytes that nothing here has packed. */
export const unpackText = (packed: Buffer, words = ''): string =>
  unpackBytes(packed, words).toString();

/** Most texts fit, and little is set aside for each. */
const unpackedChunk = 2048;

/** The same as UTF-8. The bytes may be a part of more that stays with them. */
export function unpackBytes(packed: Buffer, words = ''): Buffer {
  const [way = -1] = packed;
  const rest = packed.subarray(1);
  if (way === plain) return rest;
  const known = dictionaries.get(way);
  assert(known, `stored text is packed in an unknown way: ${way}`);
  return inflateRawSync(rest, { dictionary: withWords(known, words), chunkSize: unpackedChunk });
}
