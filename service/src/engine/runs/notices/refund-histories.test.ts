// Random histories of refunds, made by us and by hand, that succeed or fail late, and random
// deliveries of the provider's notices about them, some read from a lagging copy. They are judged
// by the provider's own records.

import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { recoverUnclearWork } from '../../../../test/payments/checkouts.ts';
import { aPurchase, dispute } from '../../../../test/payments/disputes.ts';
import {
  deliverNotice,
  providerEvents,
  readAllNotices,
} from '../../../../test/payments/notices.ts';
import { aRefund } from '../../../../test/payments/planted.ts';
import { reconcileAll } from '../../../../test/payments/reconcile.ts';
import { startWorld, type World } from '../../../../test/world.ts';
import { sql } from '../../../storage/database/sql.ts';
import { findPayment } from '../../../storage/payments/payments.ts';
import { runAudit } from '../audit/run-audit.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

const refunds = sql<{ status: string; amount_minor: string; provider_refund_id: string | null }>(
  'test_refund_histories',
  `select status, amount_minor, provider_refund_id from payments
   where parent_payment_id = $1 and type = 'refund' order by id`,
);

type ProviderRefund = { id: string; status: string; amount: number };
const refundsAtProvider = async (intent: string): Promise<ProviderRefund[]> => {
  const url = `${world.sandbox.url}/v1/refunds?limit=100&payment_intent=${intent}`;
  const headers = { authorization: `Bearer ${world.account.secretKey}` };
  return ((await (await fetch(url, { headers })).json()) as { data: ProviderRefund[] }).data;
};

const recoverOperations = () => recoverUnclearWork(world);

const steps = [
  ...['ours', 'lost', 'by hand', 'fail', 'succeed', 'take back', 'dispute'],
  ...['hear some', 'hear stale', 'hear all stale'],
] as const;
type Step = (typeof steps)[number];
/**
 * A case that random draws would hardly meet: a late failure without any remaining notice when the
 * copy is up to date.
 */
const starts: readonly (readonly Step[])[] = [[], [], ['ours', 'fail', 'hear all stale']];
const approved = '4242424242424242';
const pending = '4000000000007726';

it('any history of refunds, and any multiset and order of their notices, ends in the truth', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.boolean(),
      fc.constantFrom(...starts),
      fc.array(fc.tuple(fc.constantFrom(...steps), fc.integer({ min: 1, max: 1990 })), {
        maxLength: 8,
      }),
      fc.infiniteStream(fc.nat()),
      async (isPending, start, then, chance) => {
        const pick = (below: number) => Number(chance.next().value) % Math.max(below, 1);
        const { paymentId, intent } = await aPurchase(world, isPending ? pending : approved);
        const history = [...start.map((name) => [name, 500] as const), ...then];
        for (const [name, amount] of history)
          await performStep(name, { paymentId, intent, amount, pick });
        await world.control('DELETE', '/_control/faults');
        // Pending refunds arrive by themselves when the clock moves.
        await world.control('POST', '/_control/clock/advance', { seconds: 5 });
        await recoverOperations();
        const events = await providerEvents(world, intent);
        const bag = [...events, ...events.filter(() => pick(3) === 0)];
        for (let left = bag.length; left > 0; left--) {
          await deliverNotice(world, bag.splice(pick(left), 1)[0] ?? {});
          if (pick(2) === 0) await readAllNotices(world);
        }
        for (let round = 0; round < 3; round++) await recoverOperations();
        await expectTruth(paymentId, intent);
      },
    ),
    { numRuns: 25 },
  );
  expect((await runAudit({ url: world.url })).violations).toBe(0);
  expect((await reconcileAll(world.ports)).seen).toEqual([]);
}, 240_000);

type HistoryStep = {
  paymentId: string;
  intent: string;
  amount: number;
  pick: (below: number) => number;
};

async function performStep(name: Step, { paymentId, intent, amount, pick }: HistoryStep) {
  const made = await refundsAtProvider(intent);
  const one = made[pick(made.length)]?.id ?? 'none';
  // A step that is not allowed in the present state is skipped.
  const attempt = (work: Promise<unknown>) => work.catch(() => undefined);
  if (name === 'ours') await attempt(aRefund(world, paymentId, amount / 100));
  else if (name === 'by hand') {
    await attempt(world.control('POST', `/_control/intents/${intent}/refund`, { amount }));
  } else if (name === 'fail' || name === 'succeed') {
    await attempt(world.control('POST', `/_control/refunds/${one}/${name}`));
  } else if (name === 'take back') {
    await attempt(world.control('POST', `/_control/intents/${intent}/take_back`));
  } else if (name === 'dispute') {
    await attempt(dispute(world, intent, { amount }));
  } else if (name === 'lost') {
    await world.fault({ method: 'POST', path: '/v1/refunds$' }, 'drop_reply', {
      count: 2,
    });
    await world.fault({ method: 'GET', path: '/v1/refunds$' }, 'error_503_unrecorded', {
      count: 1,
    });
    await attempt(aRefund(world, paymentId, amount / 100));
    await world.control('DELETE', '/_control/faults');
  } else {
    const events = await providerEvents(world, intent);
    if (name !== 'hear some') await world.fault({ method: 'GET' }, 'stale_read', { count: 20 });
    for (const event of events) {
      if (name === 'hear all stale' || pick(2) === 0) await deliverNotice(world, event);
    }
    await readAllNotices(world);
    await world.control('DELETE', '/_control/faults');
  }
}

const wanted: Readonly<Record<string, string>> = {
  succeeded: 'succeeded',
  failed: 'refund_failed',
  pending: 'processing',
};

async function expectTruth(paymentId: string, intent: string): Promise<void> {
  const truth = await refundsAtProvider(intent);
  const rows = await world.database.read(refunds, [paymentId]);
  const named = rows.filter((row) => row.provider_refund_id !== null);
  const sorted = (list: readonly string[]) => [...list].sort();
  const ours = named.map((row) => `${row.provider_refund_id} ${row.amount_minor} ${row.status}`);
  const isKnown = (id: string) => named.some((row) => row.provider_refund_id === id);
  const theirs = truth
    // A refund by hand that had failed before we knew of it leaves no row.
    .filter(({ id, status }) => status !== 'failed' || isKnown(id))
    .map(({ id, amount, status }) => `${id} ${amount} ${wanted[status]}`);
  expect(sorted(ours)).toEqual(sorted(theirs));
  // A refund that never got an id at the provider was refused.
  expect(rows.filter((row) => !named.includes(row)).map(({ status }) => status)).not.toContain(
    'succeeded',
  );
  const sum = (status: string) =>
    truth.reduce((total, one) => total + (one.status === status ? one.amount : 0), 0);
  const isTakenBack = (await world.ledger(intent)).some(({ kind }) => kind === 'take_back');
  const back = sum('succeeded');
  const kept = back === 0 ? 'succeeded' : back === 1990 ? 'refunded' : 'partially_refunded';
  expect(await findPayment(world.database, world.client.id, paymentId)).toMatchObject({
    status: isTakenBack ? 'failed' : kept,
    refundedMinor: sum('succeeded'),
    refundPendingMinor: sum('pending'),
  });
}
