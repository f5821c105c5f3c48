// 204 on create. Spec: Checkout sessions, POST, 204. Contract §3.

import type { CreateCheckoutSession } from '@svc/contract/checkout-sessions';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aStoredCoupon } from '../../../test/coupons.ts';
import { aProduct, callerOf, newId } from '../../../test/harness.ts';
import { aSavedCard, beginRemoval } from '../../../test/saved-cards.ts';
import { startWorld, type World } from '../../../test/world.ts';
import { sql } from '../../storage/sql.ts';
import { refuse } from '../implement.ts';
import { operations } from '../index.ts';
import type { Caller } from '../ports.ts';

let world: World;
let saved: Awaited<ReturnType<typeof aSavedCard>>;
beforeAll(async () => {
  world = await startWorld();
  await aProduct(world.database, world.client, { code: 'sample', prices: { EUR: 0 } });
  const userId = newId();
  await create(userId, { products: [{ code: 'mug', quantity: 1 }] });
  saved = await aSavedCard(world, { userId });
}, 60_000);
afterAll(() => world?.close());

const anonymous: Caller = { kind: 'anonymous', requestId: 'req_test', origin: null };
const server = () => callerOf(world.token);

const create = (userId: string, given: Partial<CreateCheckoutSession> = {}, caller = server()) =>
  operations.createCheckoutSession(
    {
      body: {
        clientId: world.client.id,
        currency: 'EUR',
        products: [{ code: 'sample', quantity: 1 }],
        accountData: { userId, email: 'ada@example.test' },
        ...given,
      },
    },
    caller as Caller,
    world.ports,
    refuse,
  );
const nothingDue = expect.objectContaining({ code: 'invalid_catalog_data' });
const sessions = sql<{ count: string }>(
  'test_count_carded',
  'select count(*) from checkout_sessions',
);
const countSessions = async () => (await world.database.read(sessions, []))[0]?.count;

describe('createCheckoutSession where nothing is due', () => {
  it('204 for a buyer with an active card, and no session is made', async () => {
    const before = await countSessions();
    expect(await create(saved.userId)).toEqual({ status: 204 });
    expect(await countSessions()).toBe(before);
  });

  it('204 where a coupon takes everything off, and the coupon is not used', async () => {
    await aStoredCoupon(world.database, world.client, {
      code: 'FREE',
      percentOffBasisPoints: 10_000,
      maxRedemptions: 1,
    });
    const cart = { products: [{ code: 'mug', quantity: 1 }], couponCodes: ['FREE'] };
    expect(await create(saved.userId, cart)).toEqual({ status: 204 });
    expect(await create(saved.userId, cart)).toEqual({ status: 204 });
  });

  it('422 invalid_catalog_data without an active card', async () => {
    await expect(create(newId())).rejects.toEqual(nothingDue);
  });

  it('422 where the only active card is being removed: it can pay nothing', async () => {
    const userId = newId();
    await create(userId, { products: [{ code: 'mug', quantity: 1 }] });
    const { id } = await aSavedCard(world, { userId });
    expect(await create(userId)).toEqual({ status: 204 });
    await beginRemoval(world, id);
    await expect(create(userId)).rejects.toEqual(nothingDue);
  });

  it('422 without the credential, whoever the buyer is said to be', async () => {
    await expect(create(saved.userId, {}, anonymous as never)).rejects.toEqual(nothingDue);
  });

  it('422 with a subscription in the cart: there would be none', async () => {
    await aProduct(world.database, world.client, {
      code: 'free-club',
      kind: 'subscription',
      prices: { EUR: 0 },
    });
    const products = [{ code: 'free-club', quantity: 1 }];
    await expect(create(saved.userId, { products })).rejects.toEqual(nothingDue);
  });

  it('201 as ever where something is due', async () => {
    const products = [{ code: 'mug', quantity: 1 }];
    expect(await create(saved.userId, { products })).toMatchObject({ status: 201 });
  });
});
