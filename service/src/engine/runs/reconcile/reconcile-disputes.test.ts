// Disputes whose notices never came, found and recorded by reconciling. Spec: Payment rules 1 to 4.
// Contract §12.

import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import {
  aPurchase,
  chargebacksOf,
  deliverDisputeEvents,
  dispute,
  disputeOf,
  step,
  typesOf,
} from '../../../../test/payments/disputes.ts';
import { advance, plantInDatabase } from '../../../../test/payments/planted.ts';
import { reconcileAll } from '../../../../test/payments/reconcile.ts';
import { aHold, moveHold, startWorld, type World } from '../../../../test/world.ts';
import { sql } from '../../../storage/database/sql.ts';
import { findPayment } from '../../../storage/payments/payments.ts';
import { startReconcile } from '../../../workers/reconcile.ts';
import type { Provider } from '../../ports.ts';
import { runAudit } from '../audit/run-audit.ts';

let world: World;
beforeEach(async () => {
  await world?.close();
  world = await startWorld();
});
afterAll(() => world?.close());

/** The number of requests for the disputes of a payment. */
let listings = 0;

function reconcile(isSettling = false) {
  listings = 0;
  const countListings = (provider: Provider): Provider => ({
    ...provider,
    listDisputes: (intentId) => {
      listings += 1;
      return provider.listDisputes(intentId);
    },
  });
  const ports: World['ports'] = {
    ...world.ports,
    provider: (gateway) => countListings(world.ports.provider(gateway)),
  };
  return reconcileAll(ports, { isSettling });
}

const euros = (status: string, amount: number) => ({ status, amount, currency: 'EUR' });
const none = { status: 'no dispute', amount: null, currency: null };
const sumOf = async (paymentId: string) =>
  (await chargebacksOf(world, paymentId)).reduce((sum, row) => sum + Number(row.amount_minor), 0);

describe('reconcile finds disputes', () => {
  it('one that nobody told of: told exactly, recorded once where asked, as its notice does', async () => {
    const { paymentId, intent } = await aPurchase(world);
    const id = await dispute(world, intent);
    await step(world, id, 'close', { outcome: 'lost' });
    const before = await reconcile();
    expect(before).toMatchObject({ compared: 1, differences: 1, settled: 0 });
    expect(before.seen).toEqual([
      {
        ...{ paymentId, clientId: world.client.id, type: 'purchase', kind: 'dispute' },
        ours: none,
        providers: { id, ...euros('lost', 19.9) },
        end: 'stands',
      },
    ]);
    expect(await chargebacksOf(world, paymentId)).toEqual([]);

    const settled = await reconcile(true);
    expect(settled).toMatchObject({ differences: 0, settled: 1 });
    expect(settled.seen).toEqual([{ ...before.seen[0], end: 'settled' }]);
    const shown = await disputeOf(world, paymentId);
    expect(shown).toMatchObject({ status: 'lost', withdrawnAmount: 19.9 });
    expect(await typesOf(world, shown.id)).toEqual(['dispute.opened', 'dispute.closed']);
    expect(await sumOf(paymentId)).toBe(1990);
    expect((await reconcile(true)).seen).toEqual([]);
    await deliverDisputeEvents(world, id);
    expect(await chargebacksOf(world, paymentId)).toHaveLength(1);
    expect((await runAudit({ url: world.url })).violations).toBe(0);
  });

  it('each of several, by its end and by what moved; one that is known is no difference', async () => {
    const { paymentId, intent } = await aPurchase(world);
    const known = await dispute(world, intent, { amount: 300 });
    const ended = await dispute(world, intent, { amount: 500 });
    for (const one of [known, ended]) await deliverDisputeEvents(world, one);
    await step(world, ended, 'close', { outcome: 'won' });
    const unheard = await dispute(world, intent, { amount: 700 });
    const { seen } = await reconcile();
    expect(seen.map(({ ours, providers }) => [ours, providers])).toEqual([
      [none, { id: unheard, ...euros('needs_response', 7) }],
      [euros('needs_response', 5), { id: ended, ...euros('won', 0) }],
    ]);
    expect(await reconcile(true)).toMatchObject({ differences: 0, settled: 2 });
    expect(await sumOf(paymentId)).toBe(1000);
  });

  it('movements after the end, also where they add up to nothing', async () => {
    const { paymentId, intent } = await aPurchase(world);
    const id = await dispute(world, intent, { amount: 500 });
    await step(world, id, 'close', { outcome: 'won', movesFunds: false });
    await deliverDisputeEvents(world, id);
    await step(world, id, 'reinstate');
    const part = await reconcile();
    expect(part.seen).toMatchObject([{ ours: euros('won', 5), providers: euros('won', 0) }]);
    await step(world, id, 'withdraw');
    const whole = await reconcile();
    expect(whole.seen).toMatchObject([
      {
        ours: euros('won after 1 movements', 5),
        providers: euros('won after 3 movements', 5),
      },
    ]);
    expect(await reconcile(true)).toMatchObject({ differences: 0, settled: 1 });
    expect(await chargebacksOf(world, paymentId)).toHaveLength(3);
  });

  it('Contract §12: movements from before the classification began are no difference', async () => {
    const { paymentId, intent } = await aPurchase(world);
    const id = await dispute(world, intent);
    await world.database.write(classifyFrom, [world.gatewayId, 3600]);
    expect((await reconcile()).seen).toMatchObject([
      { ours: none, providers: euros('needs_response', 0) },
    ]);
    expect(await reconcile(true)).toMatchObject({ differences: 0, settled: 1 });
    expect((await reconcile()).seen).toEqual([]);
    expect(await chargebacksOf(world, paymentId)).toEqual([]);
    await deliverDisputeEvents(world, id);
    expect((await reconcile()).seen).toEqual([]);
  });

  it('one of ours that the provider does not know', async () => {
    const { paymentId, intent } = await aPurchase(world);
    const id = await dispute(world, intent);
    await deliverDisputeEvents(world, id);
    await plantInDatabase(world.ownerUrl, async (run) => {
      await run(`update disputes set provider_dispute_id = 'dp_gone' where payment_id = $1`, [
        paymentId,
      ]);
      await run(
        `update payments set metadata = '{"providerDisputeId": "dp_gone"}'
         where parent_payment_id = $1`,
        [paymentId],
      );
    });
    const wanted = [{ ours: euros('needs_response', 19.9), providers: { id: 'dp_gone', ...none } }];
    const { seen } = await reconcile();
    expect(seen).toMatchObject([{ ours: none, providers: { id } }, ...wanted]);
  });

  it('a list that lags behind takes no step back; after a day it is the provider’s word', async () => {
    const { paymentId, intent } = await aPurchase(world);
    const id = await dispute(world, intent);
    await deliverDisputeEvents(world, id);
    await step(world, id, 'evidence');
    await deliverDisputeEvents(world, id);
    const before = await disputeOf(world, paymentId);
    expect(before.status).toBe('under_review');
    await world.fault({ method: 'GET', path: '/v1/disputes$' }, 'stale_read', { count: 9 });
    const { seen } = await reconcile(true);
    expect(seen).toMatchObject([{ providers: euros('needs_response', 19.9), end: 'stands' }]);
    expect(await disputeOf(world, paymentId)).toEqual(before);
    await advance(world, 86_401);
    expect(await reconcile(true)).toMatchObject({ settled: 1 });
    expect(await disputeOf(world, paymentId)).toMatchObject({ status: 'needs_response' });
  });

  it('one that is open, or moved within a week, is not left to the sample', async () => {
    const { paymentId, intent } = await aPurchase(world);
    await aPurchase(world);
    const id = await dispute(world, intent);
    await deliverDisputeEvents(world, id);
    await step(world, id, 'close', { outcome: 'won', movesFunds: false });
    const reconcileUnsampled = () => reconcileAll(world.ports, { isSettling: true, sample: 0 });
    expect(await reconcileUnsampled()).toMatchObject({ compared: 1, settled: 1 });
    expect(await disputeOf(world, paymentId)).toMatchObject({ status: 'won' });
    await step(world, id, 'reinstate');
    expect(await reconcileUnsampled()).toMatchObject({ compared: 1, settled: 1 });
    expect(await sumOf(paymentId)).toBe(0);
    await advance(world, 7 * 86_400 + 1);
    expect(await reconcileUnsampled()).toMatchObject({ compared: 0 });
  });

  it('asks only where there is one, and says where it could not', async () => {
    for (let i = 0; i < 3; i++) await aPurchase(world);
    await moveHold(world, 'capturePayment', {
      paymentId: (await aHold(world)).paymentId,
      key: randomUUID(),
    });
    expect(await reconcile()).toMatchObject({ compared: 4, differences: 0 });
    expect(listings).toBe(0);
    const { paymentId, intent } = await aPurchase(world);
    await dispute(world, intent);
    expect((await reconcile()).seen).toHaveLength(1);
    expect(listings).toBe(1);
    await world.fault({ method: 'GET', path: '/v1/disputes' }, 'error_503_unrecorded', {
      count: 2,
    });
    const settling = await reconcile(true);
    expect(settling).toMatchObject({ differences: 1, settled: 0 });
    expect(settling.seen).toMatchObject([
      { paymentId, kind: 'unread', providers: { status: 'disputes: read_failed' } },
    ]);
  });
});

describe('the hourly job', () => {
  it('captured and disputed, of which nobody told: recorded, and logged in amounts', async () => {
    const { paymentId } = await aHold(world);
    await advance(world, 601);
    const payment = await findPayment(world.database, world.client.id, paymentId);
    const intent = payment?.providerIntentId ?? '';
    await world.control('POST', `/_control/intents/${intent}/capture`);
    const id = await dispute(world, intent);
    const logged: string[] = [];
    const recordLog = (facts: object, text: string) =>
      void logged.push(`${text} ${JSON.stringify(facts)}`);
    const log = { info: () => undefined, warn: recordLog, error: recordLog };
    const worker = startReconcile(world.ports, { log, firstAfterMs: 0 });
    await expect.poll(() => logged.length).toBe(2);
    await worker.stop();
    const facts = (errorCode: string) => JSON.stringify({ clientId: world.client.id, errorCode });
    expect(logged).toEqual([
      `payment ${paymentId} moved forward: purchase: we say authorized 19.9 EUR, ` +
        `the provider (${intent}) captured 19.9 EUR ${facts('state')}`,
      `payment ${paymentId} moved forward: purchase: we say no dispute, ` +
        `the provider (${id}) needs_response, withdrawn 19.9 EUR ${facts('dispute')}`,
    ]);
    expect(await disputeOf(world, paymentId)).toMatchObject({ withdrawnAmount: 19.9 });
  });
});

const classifyFrom = sql(
  'test_classified_from',
  `update gateways set classified_from = svc_clock() + make_interval(secs => $2) where id = $1`,
);
