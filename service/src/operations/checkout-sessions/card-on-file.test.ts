// 204 on create. Spec: Checkout sessions, POST, 204. Contract §3.

import type { CreateCheckoutSession } from '@svc/contract/checkout-sessions/checkout-sessions';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aSavedCard, beginDetachment } from '../../../test/customers/saved-cards.ts';
import { aProduct, callerOf, newId } from '../../../test/harness.ts';
import { startWorld, type World } from '../../../test/world.ts';
import { refuse } from '../../engine/implement.ts';
import type { Caller } from '../../engine/ports.ts';
import { sql } from '../../storage/database/sql.ts';
import { operations } from '../index.ts';

let world: World;
let saved: Awaited<ReturnType<typeof aSavedCard>>;
beforeAll(async () => {
  world = await startWorld();
  await aProduct(world.database, world.client, { code: 'sample', prices: { EUR: 0 } });
  const userId = newId();
  await create(userId, { products: [{ code: 'mug', quantity: 1 }] });
  saved = await aSavedCard(world, { userId });
});
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
const sessions = sql<{ count: string }>(
  'test_count_carded',
  "select count(*) from checkout_sessions where status = 'completed'",
);
const countCompleted = async () => (await world.database.read(sessions, []))[0]?.count;

describe('createCheckoutSession where nothing is due', () => {
  it('204 for a buyer with an active card: the session is completed', async () => {
    const before = Number(await countCompleted());
    expect(await create(saved.userId)).toEqual({ status: 204 });
    expect(Number(await countCompleted())).toBe(before + 1);
  });

  it('201 without an active card', async () => {
    expect(await create(newId())).toMatchObject({ status: 201, body: { totals: { total: 0 } } });
  });

  it('201 where the only active card is being removed: it can pay nothing', async () => {
    const userId = newId();
    await create(userId, { products: [{ code: 'mug', quantity: 1 }] });
    const { id } = await aSavedCard(world, { userId });
    expect(await create(userId)).toEqual({ status: 204 });
    await beginDetachment(world, id);
    expect(await create(userId)).toMatchObject({ status: 201 });
  });

  it('201 without the credential, whoever the buyer is said to be', async () => {
    const made = await create(saved.userId, {}, anonymous as never);
    expect(made).toMatchObject({ status: 201, body: { buyerVerified: false } });
  });

  it('204 with a subscription that costs nothing', async () => {
    await aProduct(world.database, world.client, {
      code: 'free-club',
      kind: 'subscription',
      prices: { EUR: 0 },
    });
    const products = [{ code: 'free-club', quantity: 1 }];
    expect(await create(saved.userId, { products })).toEqual({ status: 204 });
  });

  it('201 as ever where something is due', async () => {
    const products = [{ code: 'mug', quantity: 1 }];
    expect(await create(saved.userId, { products })).toMatchObject({ status: 201 });
  });
});
