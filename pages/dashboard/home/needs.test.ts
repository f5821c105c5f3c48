// What Home asks for: each kind in its words, with its address, what ends first on top.

import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import type { Merchant } from '../../kit/merchant.ts';
import type * as Person from '../../kit/person.ts';
import { timeLeftText } from '../../kit/times.ts';
import { dueWords } from '../payments/dispute-words.ts';
import type * as NeedsModule from './needs.ts';

let { readNeeds } = {} as typeof NeedsModule;
let { person } = {} as typeof Person;
beforeAll(async () => {
  vi.stubGlobal('location', new URL('https://pay.example/dashboard'));
  ({ readNeeds } = await import('./needs.ts'));
  ({ person } = await import('../../kit/person.ts'));
});
afterEach(() => {
  person.value = undefined;
});

const sum = { amount: 19.9, currency: 'EUR' };
const buyer = { email: 'ada@example.test', customerName: 'Ada Lovelace' };
const subscriber = { customerEmail: 'grace@example.test', customerName: null };
const none = { total: 0, data: [] };
const kind = (...data: readonly object[]) => ({ total: data.length, data });
const nothing = {
  refusedKeys: none,
  expiringHolds: none,
  disputes: none,
  fraudWarnings: none,
  reviews: none,
  failedRefunds: none,
  unknownPayments: none,
  pastDueSubscriptions: none,
  expiringCards: none,
  unfundedSubscriptions: none,
  differences: none,
  failingEndpoints: none,
  refusedNotices: none,
};
const request = {
  ...sum,
  id: 'q1',
  clientId: 'c',
  paymentId: 'p9',
  expiresAt: '2026-12-05T00:00:00Z',
  requestedBy: { userId: 'sara', name: 'Sara Support', email: 'sara@example.test' },
};

/** Answers the page's reads, and returns the paths that were read. */
function stubService(overview: object, financeApproves = false): string[] {
  const read: string[] = [];
  const answers: Readonly<Record<string, object>> = {
    '/v1/overview': { ...nothing, ...overview },
    '/v1/refund-rule': { financeApproves },
    '/v1/refund-requests': { data: [request], total: 1, nextCursor: null },
    '/v1/payments': { data: [{ ...buyer, id: 'p9' }] },
  };
  vi.stubGlobal('fetch', async (path: string) => {
    const [name = ''] = path.split('?');
    read.push(name);
    return Response.json(answers[name] ?? {}, { status: answers[name] ? 200 : 404 });
  });
  return read;
}

const needsFor = (role: Merchant['role']) => readNeeds({ clientId: 'c', role } as Merchant);
const told = async (role: Merchant['role']) =>
  (await needsFor(role)).list.map(({ href, text, who }) => [
    href.replace('/dashboard/c', ''),
    text + (who ? ` · ${who}` : ''),
  ]);

it('asks for each thing in words, with its address, what ends first on top', async () => {
  stubService({
    expiringHolds: kind({
      ...sum,
      ...buyer,
      id: 'h1',
      authorizationExpiresAt: '2026-12-03T00:00:00Z',
    }),
    disputes: kind({ ...sum, ...subscriber, id: 'd1', evidenceDueBy: '2026-12-04T00:00:00Z' }),
    fraudWarnings: kind(
      { ...sum, ...buyer, id: 'f1', status: 'succeeded' },
      { ...sum, id: 'f2', status: 'authorized' },
    ),
    reviews: kind({ ...sum, id: 'f3' }),
    failedRefunds: kind({ ...sum, id: 'r1', parentPaymentId: 'p1' }),
    unknownPayments: kind(
      { ...sum, id: 'p2', type: 'purchase', parentPaymentId: null },
      { ...sum, id: 'r2', type: 'refund', parentPaymentId: 'p3' },
    ),
    pastDueSubscriptions: kind({
      id: 's1',
      ...subscriber,
      productCode: 'club',
      nextRenewalAt: '2026-12-02T00:00:00Z',
    }),
    expiringCards: kind({ id: 's2', productCode: 'club', nextRenewalAt: '2026-12-06T00:00:00Z' }),
    unfundedSubscriptions: kind({
      ...{ id: 's3', productCode: 'club', nextRenewalAt: '2026-12-07T00:00:00Z' },
    }),
    differences: kind({ paymentId: 'p4', kind: 'amount', description: 'less there' }),
    failingEndpoints: kind({ id: 'w1', url: 'https://shop.example/hooks' }),
    refusedNotices: kind({ gatewayId: 'g1', accountId: 'acct_1', refused: 12 }),
    refusedKeys: kind({ gatewayId: 'g2', accountId: 'acct_2' }),
  });
  expect(await told('owner')).toEqual([
    [
      '/settings/provider',
      expect.stringMatching(/^The card provider refuses the key of acct_2, and payments fail/),
    ],
    ['/subscriptions/s1', 'The renewal of club was declined · grace@example.test'],
    ['/payments/h1', 'Capture or release the hold of €19.90 · Ada Lovelace'],
    ['/disputes/d1', 'Answer the dispute of €19.90 · grace@example.test'],
    ['/payments/p9', 'Approve the refund of €19.90: asked for by Sara Support · Ada Lovelace'],
    ['/subscriptions/s2', expect.stringMatching(/^The card for club expires this month/)],
    ['/subscriptions/s3', 'No card pays club: ask the customer to save one'],
    [
      '/payments/f1',
      'A bank reports the payment of €19.90 as fraud. Refund before the dispute · Ada Lovelace',
    ],
    ['/payments/f2', 'A bank reports the payment of €19.90 as fraud. Release the hold'],
    ['/payments/f3', expect.stringMatching(/^The payment of €19.90 is under review: decide/)],
    ['/payments/p1', 'The refund of €19.90 failed. The buyer did not get the money'],
    ['/payments/p2', 'A payment of €19.90 is not known yet'],
    ['/payments/p3', 'A refund of €19.90 is not known yet'],
    ['/payments/p4', "A payment differs from the provider's: less there"],
    ['/developers/webhooks/w1', 'Webhooks do not arrive at https://shop.example/hooks'],
    [
      '/settings/provider',
      expect.stringMatching(/^The provider’s notices for acct_1 are refused \(12 so far\)/),
    ],
  ]);
});

it('counts what it does not show, with a way to all of them', async () => {
  stubService({
    disputes: { total: 7, data: [{ ...sum, id: 'd1', evidenceDueBy: null }] },
    failedRefunds: { total: 2, data: [{ ...sum, id: 'r1', parentPaymentId: 'p1' }] },
  });
  const { more } = await needsFor('member');
  expect(more.map(({ text }) => text)).toEqual(['6 more disputes', '1 more failed refund']);
  expect(more[1]?.href).toBe('/dashboard/c/payments?status=refund_failed');
});

it('asks for approvals whoever may give them, and nobody for their own', async () => {
  const asks = async (role: Merchant['role'], financeApproves: boolean) => {
    const read = stubService({}, financeApproves);
    return { asked: (await told(role)).length, read: read.includes('/v1/refund-requests') };
  };
  expect(await asks('admin', false)).toEqual({ asked: 1, read: true });
  expect(await asks('finance', false)).toEqual({ asked: 0, read: false });
  expect(await asks('finance', true)).toEqual({ asked: 1, read: true });
  expect(await asks('support', true)).toEqual({ asked: 0, read: false });
  person.value = { id: 'sara' } as typeof person.value;
  expect((await asks('owner', false)).asked).toBe(0);
});

it('tells the deadline of a dispute in days, then as tomorrow, then as overdue', () => {
  const at = '2026-12-10T12:00:00Z';
  const open = { evidenceDueBy: at, awaits: 'merchant' } as const;
  const on = (now: string) => dueWords(open, Date.parse(now));
  expect(on('2026-12-01T12:00:00Z')).toEqual({ text: 'in 9 days', tone: 'plain' });
  expect(on('2026-12-09T08:00:00Z')?.text).toBe('tomorrow');
  expect(on('2026-12-10T07:00:00Z')?.text).toBe('in 5 hours');
  expect(on('2026-12-10T12:00:00Z')).toEqual({ text: 'Overdue', tone: 'bad' });
  expect(dueWords({ ...open, awaits: 'provider' }, Date.parse(at))).toBeNull();
  expect(dueWords({ ...open, evidenceDueBy: null }, Date.parse(at))).toBeNull();
  expect(timeLeftText(at, Date.parse(at) - 20_000)).toBe('in 1 minute');
});
