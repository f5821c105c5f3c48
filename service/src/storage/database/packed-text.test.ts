import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { packText, unpackText } from './packed-text.ts';

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

describe('packText', () => {
  it('gives every text back byte for byte', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 3000 }), (text) => {
        expect(unpackText(packText(text))).toBe(text);
      }),
    );
    expect(unpackText(packText(captured))).toBe(captured);
    expect(unpackText(packText(''))).toBe('');
  });

  it('with words of its row it takes less, and needs them', () => {
    const words = captured.slice(7, 43) + captured.slice(75, 111);
    const packed = packText(captured, words);
    expect(packed.length).toBeLessThan(packText(captured).length - 20);
    expect(unpackText(packed, words)).toBe(captured);
    expect(() => {
      if (unpackText(packed, `${words}x`) !== captured) throw new Error('another text');
    }).toThrow();
  });

  it('takes less than a third for an answer', () => {
    expect(packText(captured).length).toBeLessThan(Buffer.byteLength(captured) / 3);
  });

  it('never takes more than one byte beyond the text', () => {
    const noise = createHash('sha512').update('noise').digest('base64');
    expect(packText(noise).length).toBeLessThanOrEqual(noise.length + 1);
  });
});

describe('unpackText', () => {
  it('reads what the first dictionary has packed', () => {
    const packed = Buffer.from(stored, 'base64');
    expect(unpackText(packed)).toBe(captured);
  });

  it('reads a text that was stored before there was packing', () => {
    expect(unpackText(Buffer.from('\0{"code":"payment_not_authorized"}'))).toBe(
      '{"code":"payment_not_authorized"}',
    );
  });

  it('refuses an unknown way', () => {
    expect(() => unpackText(Buffer.from([200, 1, 2]))).toThrow('unknown way: 200');
    expect(() => unpackText(Buffer.alloc(0))).toThrow('unknown way: -1');
  });
});

// Frozen: rows like it are in databases.
const stored =
  'Ab2Vyw6CMBBF/8V9m7mFUoaV/6A/MLziwogJLvx8Aj7BNqAmdD13Jp3knHlhhzqpSLkCUK6MRLFYKMq5QE2VE2uXcHlr' +
  'QkSBJsknuPe5OZF/rgvpdSOlbNtDc9aX/nR+DzdrnuLNvAjvt+Qc4EPp/4g/F2v8W0qDDtjJqcybKz0eVpVC/JsUAGWw' +
  'B2VABrNMCn0mHTIUyqwjhVqO7ZwVRh8kDRN5rTDZQ2yTkBVGldAuZb8V/B0nVugA';
