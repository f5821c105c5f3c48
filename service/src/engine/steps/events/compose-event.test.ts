// Contract §7: what merchants receive.

import { type EventExample, eventExamples } from '@svc/contract/events/event-examples';
import { eventTypes } from '@svc/contract/rows/event-types';
import { apiVersion } from '@svc/contract/rows/versions';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newId } from '../../../../test/harness.ts';
import { aPayment } from '../../../../test/payments/money.ts';
import { aLargePurchase } from '../../../../test/webhooks/largest-event.ts';
import type { Line } from '../../../domain/payments/line.ts';
import { composeEvent, type EventFacts, eventId, showPurchase } from './compose-event.ts';
import { parseEventId } from './event-id.ts';

const now = new Date('2026-05-01T12:00:00.999Z');
const facts = {
  id: '01900000-0000-7000-8000-0000000000aa',
  type: 'payment.authorized',
  clientId: '01900000-0000-7000-8000-000000000002',
  isLive: false,
  now,
  resource: { type: 'payment', id: aPayment().id, version: 3 },
  sequence: 2,
  request: { id: 'req_1', idempotencyKey: 'k' },
  data: eventExamples['payment.authorized'].data,
} as const;
const lineWith = (more: Partial<Line> = {}): Line => ({
  code: 'mug',
  name: 'Mug',
  kind: 'item',
  quantity: 2,
  unitMinor: 995,
  overrideMinor: null,
  interval: null,
  discountMinor: 0,
  ...more,
});

describe('composeEvent', () => {
  it('row and bytes tell the same', () => {
    const event = composeEvent(facts);
    expect(JSON.parse(event.payload)).toEqual({
      id: 'evt_019000000000700080000000000000aa',
      object: 'event',
      type: 'payment.authorized',
      created: 1_777_636_800,
      timestamp: '2026-05-01T12:00:00.999Z',
      apiVersion,
      clientId: facts.clientId,
      livemode: false,
      sequence: 2,
      resource: facts.resource,
      request: facts.request,
      data: facts.data,
    });
    expect(event).toMatchObject({
      id: facts.id,
      clientId: facts.clientId,
      type: facts.type,
      resourceType: 'payment',
      resourceId: facts.resource.id,
      sequence: 2,
      createdAt: now,
    });
  });

  it('the same facts give the same bytes, and no field is missing for null', () => {
    expect(composeEvent(facts).payload).toBe(composeEvent({ ...facts }).payload);
    expect(JSON.parse(composeEvent({ ...facts, request: null }).payload).request).toBeNull();
  });

  /** The facts of which the example is composed. */
  const exampleFacts = ({
    id,
    timestamp,
    livemode: isLive,
    ...facts
  }: EventExample): EventFacts => ({
    ...facts,
    ...{ id: parseEventId(id) ?? '', now: new Date(timestamp), isLive },
  });

  it.each(eventTypes)('%s: the example of the contract comes out byte for byte', (type) => {
    const example = eventExamples[type];
    expect(composeEvent(exampleFacts(example)).payload).toBe(JSON.stringify(example));
  });

  it.each(eventTypes)(
    '%s: neither a field that its schema does not have is composed, nor one less',
    (type) => {
      const { data, ...own } = exampleFacts(eventExamples[type]);
      const composeWith = (object: object) =>
        composeEvent({ ...own, data: { ...data, object } } as EventFacts);
      expect(() => composeWith({ ...data.object, planted: 1 })).toThrow(/planted/);
      for (const name of Object.keys(data.object)) {
        const { [name]: _, ...fewer } = data.object as Record<string, unknown>;
        expect(() => composeWith(fewer), name).toThrow(type);
      }
    },
  );
});

describe('how large an event is', () => {
  const bytes = (...given: Parameters<typeof aLargePurchase>) =>
    Buffer.byteLength(aLargePurchase(...given).payload);

  it('a purchase is under 20 kB to ten lines, and under 220 kB with all that a cart and metadata take', () => {
    expect(bytes(10, {})).toBeLessThan(20_000);
    expect(bytes(100)).toBeGreaterThan(210_000);
    expect(bytes(100)).toBeLessThan(220_000);
    expect(JSON.parse(aLargePurchase().payload).data.object.items).toHaveLength(100);
  });
});

describe('eventId', () => {
  it('is read back to the row', () => {
    fc.assert(
      fc.property(fc.uuid(), (id) => {
        expect(eventId(id)).toMatch(/^evt_[0-9a-f]{32}$/);
        expect(parseEventId(eventId(id))).toBe(id);
      }),
    );
    const id = newId();
    expect(parseEventId(eventId(id))).toBe(id);
  });
});

describe('showPurchase', () => {
  const payment = aPayment({ status: 'succeeded', amountMinor: 3990 });

  it('what was bought: item lines alone, at what was due for them', () => {
    const lines = [
      lineWith(),
      lineWith({ code: 'club', kind: 'subscription', unitMinor: 2000, quantity: 1 }),
      lineWith({ code: 'pen', overrideMinor: 0 }),
      lineWith({ code: 'cup', overrideMinor: 1 }),
    ];
    const mug = { name: 'Mug', quantity: 2, currency: 'EUR', reference: null };
    expect(showPurchase(payment, lines, now)).toEqual({
      paymentId: payment.id,
      sessionId: payment.sessionId,
      clientId: payment.clientId,
      customer: { userId: payment.userId, externalId: null, email: payment.email },
      buyerVerified: false,
      items: [
        { ...mug, code: 'mug', totalAmount: 19.9 },
        { ...mug, code: 'pen', totalAmount: 0 },
        { ...mug, code: 'cup', totalAmount: 0.01 },
      ],
      amount: 39.9,
      currency: 'EUR',
      metadata: {},
      reference: null,
      purchasedAt: '2026-05-01T12:00:00.999Z',
    });
  });

  it('amounts have the decimals of their currency', () => {
    const yen = showPurchase({ ...payment, currency: 'JPY' }, [lineWith()], now);
    expect([yen.amount, yen.items[0]?.totalAmount]).toEqual([3990, 1990]);
    const dinar = showPurchase({ ...payment, currency: 'KWD' }, [lineWith()], now);
    expect([dinar.amount, dinar.items[0]?.totalAmount]).toEqual([3.99, 1.99]);
  });
});
