// Random histories of disputes, and random deliveries of the provider's notices about them. They
// are judged by the provider's own records. Spec: Payment rules 1 and 2.

import { byLevel } from '@svc/tools/levels/level';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  aPurchase,
  chargebacksOf,
  deliver,
  dispute,
  disputeOf,
  eventsOf,
  readAll,
  step,
  typesOf,
} from '../../../../test/payments/disputes.ts';
import { startWorld, type World } from '../../../../test/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

/** Returns the amount that the provider's own records show as withdrawn and not returned. */
async function movedAtProvider(intent: string): Promise<number> {
  const sign: Record<string, number> = { dispute_withdrawn: 1, dispute_reinstated: -1 };
  const entries = await world.ledger(intent);
  return entries.reduce((sum, { kind, amount }) => sum + (sign[kind] ?? 0) * amount, 0);
}

const steps = [
  'withdraw',
  'reinstate',
  'evidence',
  'won',
  'lost',
  'warning_closed',
  'hear some',
  'hear stale',
] as const;

const ends: readonly string[] = ['won', 'lost', 'warning_closed'];

describe('any history', () => {
  it('and any multiset and order of its notices end in the provider’s truth', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom<object>({}, { movesFunds: false }, { status: 'warning_needs_response' }),
        fc.array(fc.tuple(fc.constantFrom(...steps), fc.integer({ min: 1, max: 1990 })), {
          maxLength: 7,
        }),
        fc.infiniteStream(fc.nat()),
        async (opening, history, chance) => {
          const pick = (below: number) => Number(chance.next().value) % below;
          const { paymentId, intent } = await aPurchase(world);
          const id = await dispute(world, intent, opening);
          for (const [name, amount] of history) {
            if (name === 'hear some' || name === 'hear stale') {
              const lag = { match: { method: 'GET' }, action: 'stale_read', count: 20 };
              if (name === 'hear stale') await world.control('POST', '/_control/faults', lag);
              for (const event of await eventsOf(world, id)) {
                if (pick(2) === 0) await deliver(world, event);
              }
              await readAll(world);
              await world.control('DELETE', '/_control/faults');
              continue;
            }
            const isEnd = ends.includes(name);
            const body = isEnd ? { outcome: name } : name === 'evidence' ? {} : { amount };
            // A step that the bank does not allow in the present state is skipped.
            await step(world, id, isEnd ? 'close' : name, body).catch(() => undefined);
          }
          const events = await eventsOf(world, id);
          const bag = [...events, ...events.filter(() => pick(3) === 0)];
          for (let left = bag.length; left > 0; left--) {
            await deliver(world, bag.splice(pick(left), 1)[0] ?? {});
            if (pick(2) === 0) await readAll(world);
          }
          await readAll(world);
          await expectTruth(id, { paymentId, intent });
        },
      ),
      { numRuns: byLevel({ gate: 10, proof: 40 }) },
    );
  }, 120_000);
});

async function expectTruth(id: string, { paymentId, intent }: Record<string, string>) {
  const headers = { authorization: `Bearer ${world.account.secretKey}` };
  const read = await fetch(`${world.sandbox.url}/v1/disputes/${id}`, { headers });
  const truth = (await read.json()) as {
    status: string;
    balance_transactions: { id: string; amount: number }[];
  };
  const rows = await chargebacksOf(world, paymentId ?? '');
  const booked = truth.balance_transactions.map((one) => [one.id, String(-one.amount)]);
  expect(rows.map((row) => [row.provider_movement_id, row.amount_minor]).sort()).toEqual(
    booked.sort(),
  );
  const shown = await disputeOf(world, paymentId ?? '');
  expect(shown.status).toBe(truth.status);
  expect(Math.round(shown.withdrawnAmount * 100)).toBe(await movedAtProvider(intent ?? ''));
  for (const row of rows) {
    const type = Number(row.amount_minor) > 0 ? 'withdrawn' : 'reinstated';
    expect(await typesOf(world, row.id)).toEqual([`chargeback.${type}`]);
  }
  const types = await typesOf(world, shown.id);
  const count = (type: string) => types.filter((one) => one === type).length;
  const isClosed = ends.includes(truth.status);
  expect([count('dispute.opened'), count('dispute.closed')]).toEqual([1, isClosed ? 1 : 0]);
}
