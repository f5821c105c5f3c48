// Detachments and payments with the same card at the same time: whoever comes second sees the first
// under the card's lock. Reliability P5. proof/detachment draws the order from seeds.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { methodRow } from '../../../../test/customers/detachments.ts';
import { aSavedCard, vouchedSession } from '../../../../test/customers/saved-cards.ts';
import { aCustomer, callerOf, sessionCaller } from '../../../../test/harness.ts';
import { type Checkout, startWorld, type World } from '../../../../test/world.ts';
import { operations } from '../../../operations/index.ts';
import { sql } from '../../../storage/database/sql.ts';
import { refuse } from '../../implement.ts';
import type { Ports } from '../../ports.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

const live = sql<{ status: string }>(
  'test_storms_live',
  `select p.status from payment_method_uses u join payments p on p.id = u.payment_id
   join payment_methods m on m.id = u.payment_method_id
   where m.provider_payment_method_id = $1 and p.status in ('pending', 'processing', 'unknown')`,
);

const pay = (session: Checkout, paymentMethodId: string, ports: Ports) =>
  operations.processCheckoutSession(
    {
      sessionId: session.sessionId,
      'x-user-id': session.userId,
      body: {
        sessionId: session.sessionId,
        tokenizedData: { provider: 'cardprovider', type: 'card', paymentMethodId },
        accountData: { userId: session.userId, email: 'buyer@example.test' },
      },
    },
    sessionCaller(session.nonce),
    ports,
    refuse,
  );

const codeOf = (settled: PromiseSettledResult<{ status: number }>): string =>
  settled.status === 'fulfilled'
    ? String(settled.value.status)
    : ((settled.reason as { code?: string }).code ?? String(settled.reason));

it('P5: of a payment and a detachment that begin together one is refused, or the payment was over first', async () => {
  const under: string[] = [];
  const ports: Ports = {
    ...world.ports,
    methodKeeper: (gateway) => {
      const keeper = world.ports.methodKeeper(gateway);
      return {
        ...keeper,
        detachMethod: async (call) => {
          const found = await world.database.read(live, [call.methodId]);
          under.push(...found.map(({ status }) => status));
          return keeper.detachMethod(call);
        },
      };
    },
  };
  const seen = new Set<string>();
  for (let round = 0; round < 24; round++) {
    const { id: userId } = await aCustomer(world.database, world.client, {
      email: 'buyer@example.test',
    });
    const card = await aSavedCard(world, { userId });
    const sessions = [
      await vouchedSession(world, { userId }),
      await vouchedSession(world, { userId }),
    ];
    // A payment reads before it claims, so the detachment begins one step later in each round.
    const remove = async () => {
      for (let step = 0; step < round; step++) await world.database.read(live, ['pm_none']);
      return operations.deletePaymentMethod({ id: card.id }, callerOf(world.token), ports, refuse);
    };
    const calls = [...sessions.map((session) => pay(session, card.id, ports)), remove(), remove()];
    const told = (await Promise.allSettled<{ status: number }>(calls)).map(codeOf);
    const { status } = await methodRow(world, card.id);
    expect(told.includes('204'), told.join()).toBe(status === 'removed');
    for (const code of told) {
      expect([
        '200',
        '204',
        'payment_method_not_found',
        'payment_method_has_active_payment',
      ]).toContain(code);
      seen.add(code);
    }
  }
  expect(under).toEqual([]);
  const both = ['200', '204', 'payment_method_has_active_payment', 'payment_method_not_found'];
  expect([...seen].sort()).toEqual(both);
});
