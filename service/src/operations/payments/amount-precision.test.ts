// Amounts that no provider can carry are refused before anything is recorded, in every call with an
// amount. Contract §1, §12.

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aProduct, callerOf, newId } from '../../../test/harness.ts';
import { openWalletShop } from '../../../test/wallet/wallet-shop.ts';
import { type Checkout, pay, startWorld, type World } from '../../../test/world.ts';
import { refuse } from '../../engine/implement.ts';
import { sql } from '../../storage/database/sql.ts';
import { operations } from '../index.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
  await aProduct(world.database, world.client, {
    code: 'lamp',
    prices: { KWD: 5120, MGA: 50_000, ISK: 500, JPY: 2500, HUF: 199_000 },
  });
  await aProduct(world.database, world.client, {
    code: 'bulb',
    prices: { KWD: 1123, MGA: 50 },
  });
});
afterAll(() => world?.close());

const refusedWith = (more: object = {}) =>
  expect.objectContaining({ code: 'amount_precision', ...more });
type Line = { code: string; quantity: number; totalAmount?: number };

async function create(currency: string, products: Line[], isMerchant = false): Promise<Checkout> {
  const userId = newId();
  const answer = await operations.createCheckoutSession(
    {
      body: {
        clientId: world.client.id,
        captureMethod: 'automatic',
        currency,
        products,
        accountData: { userId, email: 'buyer@example.test' },
      },
    },
    isMerchant ? callerOf(world.token) : { kind: 'anonymous', requestId: 'req_test', origin: null },
    world.ports,
    refuse,
  );
  if (!('body' in answer)) throw new Error('a session has a body');
  const { id, nonce, vault } = answer.body;
  return { sessionId: id, nonce, userId, mountToken: vault?.mountToken ?? '' };
}

async function aPurchase(currency: string): Promise<string> {
  const answer = await pay(world, await create(currency, [{ code: 'lamp', quantity: 1 }]));
  if (!('body' in answer) || answer.body.type !== 'success') throw new Error('not paid');
  return answer.body.paymentId ?? '';
}

async function refund(paymentId: string, amount?: number) {
  const digest = Buffer.alloc(32, `${paymentId}${amount}`);
  const answer = await operations.createRefund(
    {
      paymentId,
      body: amount === undefined ? {} : { amount },
      idempotencyKey: randomUUID(),
      rawSha256: digest,
      canonSha256: digest,
    },
    callerOf(world.token),
    world.ports,
    refuse,
  );
  return JSON.parse('replay' in answer ? answer.replay : '{}') as object;
}

const rowCount = sql<{ count: number }>(
  'test_precision_rows',
  `select ((select count(*) from checkout_sessions) + (select count(*) from payments)
     + (select count(*) from payment_operations))::int as count`,
);
const countRows = async () => (await world.database.read(rowCount, []))[0]?.count;

/** Expects a refusal, and no row. */
async function expectRefused(work: () => Promise<unknown>, more: object = {}): Promise<void> {
  const before = await countRows();
  await expect(work()).rejects.toEqual(refusedWith(more));
  expect(await countRows()).toBe(before);
}

describe('createCheckoutSession', () => {
  it('422 amount_precision: more decimals than the currency has, in any line', async () => {
    const lines: [string, Line][] = [
      ['KWD', { code: 'lamp', quantity: 1, totalAmount: 5.1201 }],
      ['MGA', { code: 'lamp', quantity: 1, totalAmount: 500.001 }],
      ['ISK', { code: 'lamp', quantity: 1, totalAmount: 500.5 }],
      ['JPY', { code: 'lamp', quantity: 1, totalAmount: 2500.5 }],
    ];
    for (const [currency, line] of lines) {
      const facts = expect.objectContaining({ param: 'products[0].totalAmount' });
      await expectRefused(() => create(currency, [line]), { facts });
      await expectRefused(() => create(currency, [line], true));
    }
  });

  it('422 amount_precision: a total that the provider cannot carry, and why', async () => {
    const message = 'The payment provider takes KWD in steps of 0.010 only.';
    await expectRefused(() => create('KWD', [{ code: 'bulb', quantity: 1 }]), { message });
    await expectRefused(() => create('MGA', [{ code: 'bulb', quantity: 3 }]));
    const override = { code: 'lamp', quantity: 1, totalAmount: 5.121 };
    await expectRefused(() => create('KWD', [override], true), { message });
  });

  it.each([
    ['JPY', 99_999_999],
    ['KWD', 99_999.99],
    ['ISK', 999_999],
    ['MGA', 99_999_999],
  ])('%s: the most that the provider takes is taken, and no more', async (currency, most) => {
    const line = { code: 'lamp', quantity: 1, totalAmount: most };
    const session = await create(currency, [line], true);
    expect(await pay(world, session)).toMatchObject({ body: { type: 'success' } });
    const over = [{ ...line, totalAmount: most + 1 }];
    const message = 'The total is over the largest amount that can be charged at once.';
    await expect(create(currency, over, true)).rejects.toMatchObject({
      code: 'invalid_catalog_data',
      message,
    });
  });

  it('only the total counts: lines that add up to a carried amount are taken', async () => {
    await expect(create('KWD', [{ code: 'bulb', quantity: 10 }])).resolves.toBeDefined();
    await expect(create('MGA', [{ code: 'bulb', quantity: 2 }])).resolves.toBeDefined();
  });
});

describe('createRefund', () => {
  it('422 amount_precision: three decimals and a last digit that is not 0, never a 502', async () => {
    const paymentId = await aPurchase('KWD');
    const message = 'The payment provider takes KWD in steps of 0.010 only.';
    const facts = expect.objectContaining({ param: 'amount' });
    await expectRefused(() => refund(paymentId, 1.123), { message, facts });
    await expectRefused(() => refund(paymentId, 1.1234), { facts });
    expect(await refund(paymentId, 1.12)).toMatchObject({ status: 'succeeded', amount: 1.12 });
    expect(await refund(paymentId)).toMatchObject({ status: 'succeeded', amount: 4 });
  });

  it('422 amount_precision: the provider’s own exponents', async () => {
    const ariary = await aPurchase('MGA');
    await expectRefused(() => refund(ariary, 0.5));
    expect(await refund(ariary, 3)).toMatchObject({ status: 'succeeded', amount: 3 });
    const krona = await aPurchase('ISK');
    await expectRefused(() => refund(krona, 0.5));
    expect(await refund(krona, 1)).toMatchObject({ status: 'succeeded', amount: 1 });
    const amounts = (await world.ledger()).filter(({ kind }) => kind === 'refund');
    expect(amounts.slice(-2).map(({ amount }) => amount)).toEqual([3, 100]);
  });

  it('422 amount_precision: cents of a currency that the wallet takes without', async () => {
    const shop = await openWalletShop(world);
    const session = await create('HUF', [{ code: 'lamp', quantity: 1 }]);
    const asked = await shop.pay(session);
    await shop.approve(await shop.orderOf(asked));
    const { type, paymentId } = await shop.pay(session);
    expect(type).toBe('success');
    const message = 'The payment provider takes HUF in steps of 1.00 only.';
    await expectRefused(() => refund(paymentId, 10.5), { message });
    expect(await refund(paymentId, 10)).toMatchObject({ status: 'succeeded', amount: 10 });
    expect(await refund(paymentId)).toMatchObject({ status: 'succeeded', amount: 1980 });
  });
});
