// What the buyer of a session can pay with. Contract §3, Buyer.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  aSavedCard,
  beginDetachment,
  payBy,
  remove,
  vouchedSession,
} from '../../../test/customers/saved-cards.ts';
import { newId, sessionCaller } from '../../../test/harness.ts';
import { aShell, bodyOf, claim } from '../../../test/payments/checkouts.ts';
import { aCardToken, type Checkout, cards, startWorld, type World } from '../../../test/world.ts';
import { refuse } from '../../engine/implement.ts';
import { readClock } from '../../storage/database/clock.ts';
import { sql } from '../../storage/database/sql.ts';
import { insertMethod, markMethodCharged } from '../../storage/payment-methods/payment-methods.ts';
import { operations } from '../index.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

const code = (name: string) => expect.objectContaining({ code: name });
const list = async ({ sessionId, nonce }: Pick<Checkout, 'sessionId' | 'nonce'>) => {
  const answer = operations.getSessionPaymentMethods(
    { sessionId },
    sessionCaller(nonce),
    world.ports,
    refuse,
  );
  return (await bodyOf<{ data: { id: string }[] }>(answer)).data;
};
const idsOf = async (session: Checkout) => (await list(session)).map(({ id }) => id);
const makeDefault = sql(
  'test_make_default',
  'update customers set default_payment_method_id = $2 where id = $1',
);

describe('getSessionPaymentMethods', () => {
  it('200: the default first, then the most recently charged or verified; exactly the fields that are shown', async () => {
    const session = await vouchedSession(world);
    const { userId } = session;
    expect(await list(session)).toEqual([]);
    const first = await aSavedCard(world, { userId });
    const second = await aSavedCard(world, { userId, number: '5555555555554444' });
    const third = await aSavedCard(world, { userId });
    // The first one saved is the default until another one is made it.
    expect(await idsOf(session)).toEqual([first.id, third.id, second.id]);
    await world.database.transaction(world.client.id, async (tx) =>
      markMethodCharged(tx, second, await readClock(tx)),
    );
    expect(await idsOf(session)).toEqual([first.id, second.id, third.id]);
    await world.database.write(makeDefault, [userId, third.id]);
    expect(await idsOf(session)).toEqual([third.id, second.id, first.id]);
    const [, shown] = await list(session);
    expect(shown).toEqual({
      id: second.id,
      type: 'card',
      brand: 'visa',
      lastFour: '4444',
      expiryMonth: 12,
      expiryYear: 2034,
      payerEmail: null,
      status: 'active',
      createdAt: second.createdAt.toISOString(),
      gateway: { id: world.gatewayId, provider: 'cardprovider' },
    });
  });

  it('200: none that is pending, removed, being removed, or of another buyer', async () => {
    const session = await vouchedSession(world);
    const { userId } = session;
    await aSavedCard(world, { userId: (await vouchedSession(world)).userId });
    const removed = await aSavedCard(world, { userId });
    await remove(world, removed);
    const going = await aSavedCard(world, { userId });
    await beginDetachment(world, going.id);
    await world.database.transaction(world.client.id, async (tx) =>
      insertMethod(tx, { ...going, id: newId(), createdAt: await readClock(tx) }),
    );
    expect(await list(session)).toEqual([]);
    const token = await aCardToken(world, session, cards.approved);
    await payBy(world, session, { token, saveForLater: true });
    expect(await list(session)).toHaveLength(1);
  });

  it('Contract §3 saved cards · 403 buyer_not_verified: a buyer that only names itself, and the buyer of a shell', async () => {
    const session = await vouchedSession(world);
    await aSavedCard(world, { userId: session.userId });
    const named = await vouchedSession(world, { userId: session.userId, isVouched: false });
    await expect(list(named)).rejects.toEqual(code('buyer_not_verified'));
    const shell = await aShell(world);
    await expect(list(shell)).rejects.toEqual(code('buyer_not_verified'));
    await claim(world, shell);
    await expect(list(shell)).rejects.toEqual(code('buyer_not_verified'));
  });

  it('404 checkout_session_not_found: a wrong nonce and an unknown session alike', async () => {
    const session = await vouchedSession(world);
    const other = await vouchedSession(world);
    for (const wrong of [
      { ...session, nonce: other.nonce },
      { ...session, sessionId: newId() },
    ]) {
      await expect(list(wrong)).rejects.toEqual(code('checkout_session_not_found'));
    }
  });
});
