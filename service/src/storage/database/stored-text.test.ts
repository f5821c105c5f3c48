import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readStored, storeText } from './stored-text.ts';

const captured = JSON.stringify({
  id: '01a1f6e0-7c11-7d3a-9a51-0b9c1f0e7a55',
  object: 'payment',
  clientId: '01a1f6e0-0001-7d3a-9a51-0b9c1f0e7a56',
  sessionId: '01a1f6e0-7b00-7d3a-9a51-0b9c1f0e7a57',
  userId: null,
  email: 'ada@shop.test',
  type: 'purchase',
  status: 'succeeded',
  amount: 19.9,
  amountMinor: 1990,
  currency: 'EUR',
  amountCaptured: 19.9,
  amountRefunded: 0,
  amountRefundable: 19.9,
  captureMethod: 'manual',
  provider: 'cardprovider',
  gatewayId: '01a1f6e0-0002-7d3a-9a51-0b9c1f0e7a58',
  gatewayChargeId: 'ch_3Sandbox0000000001',
  paymentMethod: {
    id: null,
    type: 'card',
    brand: 'visa',
    lastFour: '4242',
    expiryMonth: 12,
    expiryYear: 2034,
  },
  parentPaymentId: null,
  financialEffectiveAt: '2026-11-21T10:11:12.000Z',
  authorizationExpiresAt: '2026-11-28T10:10:12.000Z',
  authorizationVoidReason: null,
  failureCode: null,
  declineCode: null,
  failureMessage: null,
  metadata: {},
  livemode: false,
  version: 2,
  createdAt: '2026-11-21T10:11:10.123Z',
  updatedAt: '2026-11-21T10:11:12.456Z',
  authorizedAt: '2026-11-21T10:11:11.789Z',
  capturedAt: '2026-11-21T10:11:12.456Z',
  voidedAt: null,
});

describe('storeText', () => {
  it('gives every text back byte for byte', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 3000 }), (text) => {
        expect(readStored(storeText(text))).toBe(text);
      }),
    );
    expect(readStored(storeText(captured))).toBe(captured);
    expect(readStored(storeText(''))).toBe('');
  });

  it('stores the text as it is, so that SQL reads it', () => {
    expect(storeText(captured)).toEqual(Buffer.from(`\0${captured}`));
  });
});

describe('readStored', () => {
  it('reads what the first dictionary has packed', () => {
    const packed = Buffer.from(stored, 'base64');
    expect(readStored(packed)).toBe(captured);
  });

  it('reads a plain text', () => {
    expect(readStored(Buffer.from('\0{"code":"payment_not_authorized"}'))).toBe(
      '{"code":"payment_not_authorized"}',
    );
  });

  it('reads an answer that was packed with the ids of its row', () => {
    const { id, clientId } = JSON.parse(captured) as { id: string; clientId: string };
    const packed = Buffer.from('AUNkX4JKicnfBN2EPefWAgA=', 'base64');
    const answer = JSON.stringify({ id, object: 'payment', clientId, status: 'succeeded' });
    expect(readStored(packed, clientId + id)).toBe(answer);
    expect(() => {
      if (readStored(packed, `${clientId}${id}x`) !== answer) throw new Error('another text');
    }).toThrow();
  });

  it('refuses an unknown format', () => {
    expect(() => readStored(Buffer.from([200, 1, 2]))).toThrow('unknown format: 200');
    expect(() => readStored(Buffer.alloc(0))).toThrow('unknown format: -1');
  });
});

// Never change this text: databases contain rows in this form.
const stored =
  'Ab2Vyw6CMBBF/8V9m7mFUoaV/6A/MLziwogJLvx8Aj7BNqAmdD13Jp3knHlhhzqpSLkCUK6MRLFYKMq5QE2VE2uXcHlr' +
  'QkSBJsknuPe5OZF/rgvpdSOlbNtDc9aX/nR+DzdrnuLNvAjvt+Qc4EPp/4g/F2v8W0qDDtjJqcybKz0eVpVC/JsUAGWw' +
  'B2VABrNMCn0mHTIUyqwjhVqO7ZwVRh8kDRN5rTDZQ2yTkBVGldAuZb8V/B0nVugA';
