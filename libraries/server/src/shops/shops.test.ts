// What a shop's plugin is told in each case, against a wire whose answers are planned. `proof/shops` runs the same
// on real shops and the real service.

import { expect, it } from 'vitest';
import { ImpatientSvc, type Planned, startWire } from '../../test/wire.ts';
import {
  givenBack,
  moneyOf,
  remedyOf,
  type ShopOrder,
  ShopPayments,
  shopNumberOf,
  troubleOf,
} from './shops.ts';

const paymentId = '0199a1b2-0000-7000-8000-0000000000a1';
const payment = (more: object = {}) => ({
  status: 200,
  body: {
    ...{ id: paymentId, object: 'payment', status: 'authorized', currency: 'EUR' },
    ...{ amount: 23.79, amountMinor: 2379, amountCaptured: 0, amountRefundable: 0, metadata: {} },
    ...more,
  },
});
const sessions = (...data: object[]): Planned => ({
  status: 200,
  body: { object: 'list', data, total: data.length, hasMore: false },
});
const session = { status: 201, body: { id: 's1', nonce: 'n', url: 'http://pay.test/c/s1#n' } };
const refused = (status: number, code: string) => ({
  status,
  body: { type: 'api_error', code, message: `${code}.`, retryable: false },
});
const order: ShopOrder = {
  reference: '1042',
  money: moneyOf(2379, 2, 'EUR'),
  account: { guest: true, email: 'ada@example.com' },
  captureMethod: 'manual',
};

async function connect(...plan: Planned[]) {
  const wire = await startWire(...plan);
  const svc = new ImpatientSvc('sk_1', { baseUrl: wire.url, clientId: 'c', apiToken: 'svc_t' });
  return { wire, shop: new ShopPayments(svc) };
}

it.each([
  // Shop's number, decimals that the shop counts, currency, amount on the wire.
  [2379, 2, 'EUR', 23.79],
  [150_000, 2, 'JPY', 1500],
  [450, 2, 'KWD', 4.5],
  [23.79, 0, 'eur', 23.79],
  [4.125, 0, 'KWD', 4.125],
  // The provider refuses it in steps of ten fils: nobody rounds it before.
  [23.795, 0, 'KWD', 23.795],
  [9_007_199_254_740_991, 2, 'EUR', 90_071_992_547_409.91],
])('%f with %i decimals of %s is %f, and back', (value, decimals, currency, amount) => {
  const money = moneyOf(value, decimals, currency);
  expect(money).toMatchObject({ amount });
  expect(money.rounded).toBeUndefined();
  expect(shopNumberOf(money, decimals)).toBe(value);
});

it.each([
  [23.789999999999996, 'EUR', 23.79],
  [0.1 + 0.2, 'EUR', 0.3],
  [23.794999999999998, 'KWD', 23.795],
  [2379.0000000000005, 'JPY', 2379],
])('%f %s is a binary fraction of %f, which is not rounding', (value, currency, amount) => {
  expect(moneyOf(value, 0, currency)).toEqual({
    ...{ amount, currency },
    minor: moneyOf(amount, 0, currency).minor,
  });
});

it.each([
  [1.005, 0, 'EUR', 1.01],
  // The double below that of 1.005.
  [1.0049999999999997, 0, 'EUR', 1.01],
  [23.7949, 0, 'EUR', 23.79],
  [23.7949, 0, 'KWD', 23.795],
  [150_050, 2, 'JPY', 1501],
])(
  '%f with %i decimals of %s is rounded to %f, and says so',
  (value, decimals, currency, amount) => {
    const { rounded, ...money } = moneyOf(value, decimals, currency);
    expect(money.amount).toBe(amount);
    expect(rounded).toContain(`${currency} has more decimals than the currency: it is ${amount} `);
  },
);

it('refuses what is no amount', () => {
  expect(() => moneyOf(Number.NaN, 2, 'EUR')).toThrow('NaN is no amount of EUR');
});

it('asks for the same session with the same key, and for another one once an earlier has ended', async () => {
  const { wire, shop } = await connect(
    ...[sessions(), session, sessions({ status: 'open', paymentId: null }), session],
    ...[sessions({ status: 'expired', paymentId: null }), session],
  );
  await using _ = wire;
  for (const _try of [1, 2, 3]) await shop.open(order);
  const made = wire.asked.filter(({ method }) => method === 'POST');
  const [first, second, third] = made.map(({ headers }) => headers['idempotency-key']);
  expect(second).toBe(first);
  expect(third).not.toBe(first);
  expect(JSON.parse(made[0]?.body ?? '')).toMatchObject({
    ...{ reference: '1042', replaces: true, currency: 'EUR', captureMethod: 'manual' },
    products: [{ name: 'Order 1042', quantity: 1, amount: 23.79 }],
  });
});

it('shows lines only where they come to the total', async () => {
  const { wire, shop } = await connect(sessions(), session, sessions(), session);
  await using _ = wire;
  const lines = [
    { name: 'Mug', quantity: 2, minor: 2000 },
    { name: 'Shipping', quantity: 1, minor: 379 },
  ];
  await shop.open({ ...order, lines });
  await shop.open({ ...order, lines: lines.slice(1) });
  const [whole, part] = wire.asked.flatMap(({ method, body }) =>
    method === 'POST' ? [JSON.parse(body).products] : [],
  );
  expect(whole).toEqual([
    { name: 'Mug', quantity: 2, amount: 20 },
    { name: 'Shipping', quantity: 1, amount: 3.79 },
  ]);
  expect(part).toHaveLength(1);
  expect(part[0]).toMatchObject({ amount: 23.79 });
});

it.each([
  ['held', {}, true],
  ['of another amount', { amountMinor: 2378 }, false],
  ['of another currency', { currency: 'USD' }, false],
  [
    'given back in part, perhaps on its way',
    { status: 'succeeded', amountCaptured: 23.79, amountRefundable: 22.79 },
    false,
  ],
  ['released', { status: 'voided' }, false],
])('an order with a payment that is %s is settled or opened', async (_name, more, isSettled) => {
  const { wire, shop } = await connect(
    ...[sessions({ status: 'authorized', paymentId }), payment(more), session],
  );
  await using _ = wire;
  expect((await shop.open(order)).kind).toBe(isSettled ? 'settled' : 'open');
});

it('names the payment that came between looking and asking', async () => {
  const errors = [{ code: 'payment', id: paymentId, state: 'authorized' }];
  const taken = { code: 'checkout_session_reference_taken', message: 'Taken.', errors };
  const { wire, shop } = await connect(sessions(), { status: 409, body: taken }, payment());
  await using _ = wire;
  expect(await shop.open(order)).toMatchObject({ kind: 'settled', payment: { id: paymentId } });
});

it.each([
  ['refused', refused(409, 'payment_not_authorized')],
  ['lost', 'cut'],
] as const)('reads where the money is when a capture is %s', async (_name, answer) => {
  const attempts = answer === 'cut' ? [answer, answer, answer] : [answer];
  const { wire, shop } = await connect(...attempts, payment({ status: 'succeeded' }));
  await using _ = wire;
  expect(await shop.capture(paymentId)).toMatchObject({ standing: 'paid' });
  const keys = wire.asked.flatMap(({ headers }) => headers['idempotency-key'] ?? []);
  expect(new Set(keys)).toEqual(new Set([`shop-capture-${paymentId}`]));
});

it('calls a capture open, neither paid nor failed, while nobody knows', async () => {
  const { wire, shop } = await connect('cut');
  await using _ = wire;
  const { standing, message } = await shop.capture(paymentId);
  expect(standing).toBe('open');
  expect(message).toContain('Svc was not reached');
});

it.each([
  ['refused', [refused(422, 'refund_amount_exceeds_available')], 'failed'],
  [
    'lost and found',
    ['cut', 'cut', 'cut', sessions({ metadata: { shopKey: 'k' }, status: 'succeeded', id: 'r1' })],
    'succeeded',
  ],
  ['lost and not found', ['cut', 'cut', 'cut', sessions()], 'unknown'],
] as const)('a refund that is %s', async (_name, plan, state) => {
  const { wire, shop } = await connect(...(plan as readonly Planned[]));
  await using _ = wire;
  expect((await shop.refund(paymentId, { key: 'k', money: order.money })).state).toBe(state);
});

it.each([
  ['authorized', 'PUT', `/v1/payments/${paymentId}/cancel`],
  ['succeeded', 'POST', `/v1/payments/${paymentId}/refunds`],
])('undoes a payment that is %s', async (status, method, path) => {
  const refund = payment({ status: method === 'PUT' ? 'voided' : 'succeeded' });
  const { wire, shop } = await connect(refund);
  await using _ = wire;
  const { standing } = await shop.undo(payment({ status }).body as never);
  expect(standing).toBe(method === 'PUT' ? 'released' : 'returned');
  expect(wire.asked.map((each) => [each.method, each.path])).toEqual([[method, path]]);
});

it.each([
  [401, 'unauthorized', 'Check clientId and apiToken'],
  [403, 'insufficient_scope', 'Use an API token whose owner'],
  [404, 'route_not_found', 'this Svc is older than the plugin'],
  [409, 'checkout_attempt_in_progress', 'wait until that has ended'],
  [422, 'amount_not_supported', 'offer another payment method for this currency'],
  [422, 'currency_required', 'a currency.'],
])('tells what mends a %i %s, and the request', async (status, code, mend) => {
  const { wire, shop } = await connect(refused(status, code));
  await using _ = wire;
  const error = await shop.paymentsOf('1042').catch((thrown: unknown) => thrown);
  expect(remedyOf(error)).toContain(mend);
  expect(remedyOf(error)).toMatch(/ \(req_\d\)$/);
});

it('tells what the shop is to mend of a payment that failed, and nothing of a declined card', () => {
  const failed = (failureCode: string) =>
    payment({ status: 'failed', failureCode, failureMessage: 'Invalid currency: kpw.' }).body;
  expect(troubleOf(failed('currency_not_supported') as never)).toBe(
    'Nobody can pay 23.79 EUR: currency_not_supported, Invalid currency: kpw. Change the total, or offer another payment method for this currency.',
  );
  expect(troubleOf(failed('declined') as never)).toBeUndefined();
});

it('counts a refund on its way as given back', () => {
  const { body } = payment({ amountCaptured: 23.79, amountRefundable: 18.79 });
  expect(givenBack(body as never)).toBe(500);
});
