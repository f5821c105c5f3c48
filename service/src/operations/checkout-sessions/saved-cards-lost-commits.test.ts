// Commits whose outcome is unknown while a saved card pays or a card is saved: whatever was lost,
// there is one payment, one use and one method. docs/decisions/saved-cards.md.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  aSavedCard,
  methodsOf,
  payBy,
  vouchedSession,
} from '../../../test/customers/saved-cards.ts';
import { type LossyWay, openLossyWay } from '../../../test/network/lossy-way.ts';
import { eventsOf, paymentsOf, runRecovery } from '../../../test/payments/checkouts.ts';
import { aCardToken, cards, startWorld, type World } from '../../../test/world.ts';
import { type Database, openDatabase } from '../../storage/database/database.ts';
import { sql } from '../../storage/database/sql.ts';

let world: World;
let way: LossyWay;
let database: Database;
beforeAll(async () => {
  world = await startWorld();
  way = await openLossyWay(world.url);
  database = openDatabase({ url: way.url, poolSize: 4 });
});
afterEach(() => way.forget());
afterAll(async () => {
  await database?.close();
  await way?.close();
  await world?.close();
});

const lossy = (): World => ({ ...world, ports: { ...world.ports, database } });
const uses = sql<{ payment_method_id: string }>(
  'test_uses_of_session',
  `select u.payment_method_id from payment_method_uses u join payments p on p.id = u.payment_id
   where p.session_id = $1`,
);
// The first commit claims, the second one settles.
const whens = [1, 2].flatMap((nth) => [[nth, 'before'] as const, [nth, 'after'] as const]);

describe('processCheckoutSession with a saved card, a commit of it lost', () => {
  it.each(whens)('commit %i, %s it took effect: charged once, used once', async (nth, when) => {
    const session = await vouchedSession(world);
    const method = await aSavedCard(world, { userId: session.userId });
    way.lose(nth, when);
    await payBy(lossy(), session, { paymentMethodId: method.id });
    expect(way.lost()).toBe(1);
    await runRecovery(world);
    const payments = await paymentsOf(world, session);
    expect(payments).toMatchObject([{ status: 'succeeded' }]);
    const entries = await world.ledger(payments[0]?.provider_intent_id ?? '');
    expect(entries.filter(({ kind }) => kind === 'capture')).toHaveLength(1);
    const used = await world.database.read(uses, [session.sessionId]);
    expect(used).toEqual([{ payment_method_id: method.id }]);
  });
});

describe('processCheckoutSession with saveForLater, a commit of it lost', () => {
  it.each(whens)(
    'commit %i, %s it took effect: one method, active, told once',
    async (nth, when) => {
      const session = await vouchedSession(world);
      const token = await aCardToken(world, session, cards.approved);
      way.lose(nth, when);
      await payBy(lossy(), session, { token, saveForLater: true });
      way.forget();
      await runRecovery(world);
      expect(await paymentsOf(world, session)).toMatchObject([{ status: 'succeeded' }]);
      const [method, ...more] = await methodsOf(world, session.userId);
      expect(more).toEqual([]);
      expect(method?.status).toBe('active');
      expect(await eventsOf(world, method?.id ?? '')).toEqual(['payment_method.activated']);
    },
  );
});
