// svc operations settle, over a real database and the sandbox provider: operations that wait for a person
// are settled by the provider's report or by the operator's statement.

import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { runOn } from '../../../test/command-line.ts';
import { vouchedSession } from '../../../test/customers/saved-cards.ts';
import { subscriptionsOfSession } from '../../../test/customers/subscriptions.ts';
import { newId } from '../../../test/harness.ts';
import { eventsOf, paymentsOf, runRecovery } from '../../../test/payments/checkouts.ts';
import { advance, aRefund, plantInDatabase } from '../../../test/payments/planted.ts';
import { reconcileAll } from '../../../test/payments/reconcile.ts';
import {
  aStuckCapture,
  aStuckRefund,
  day,
  faultForever,
  lastOperation,
} from '../../../test/payments/stuck-operations.ts';
import {
  aHold,
  aSession,
  type Checkout,
  moveHold,
  pay,
  startWorld,
  type World,
} from '../../../test/world.ts';
import { manualChecks } from '../../domain/payments/operation.ts';
import { runAudit } from '../../engine/runs/audit/run-audit.ts';
import { sql } from '../../storage/database/sql.ts';
import { findPayment } from '../../storage/payments/payments.ts';

let world: World;
beforeEach(async () => {
  await world?.close();
  world = await startWorld();
});
afterAll(() => world?.close());

const runSvc = (...args: string[]) => runOn(world.ports, ['operations', ...args]);
const settleBy = (id: string, outcome: string, ...more: string[]) =>
  runSvc('settle', id, '--outcome', outcome, '--reason', 'seen in the dashboard', ...more);
const clearFaults = () => world.control('DELETE', '/_control/faults');
const paymentOf = (id: string) => findPayment(world.database, world.client.id, id);
const isClean = async () => expect((await runAudit({ url: world.url })).violations).toBe(0);
const kindsOf = async (intent: string) => (await world.ledger(intent)).map(({ kind }) => kind);

const findState = sql<{ state: string }>(
  't_cli_operation_state',
  'select state from payment_operations where id = $1',
);
const findWords = sql<{ actor_kind: string; resource_id: string; after: object }>(
  't_cli_operator_words',
  `select actor_kind, resource_id, after from audit_entries
   where action = 'operation.settled' order by id`,
);
const readWords = () => world.database.read(findWords, []);

const stateOf = async (id: string) => (await world.database.read(findState, [id]))[0]?.state;

describe('svc operations settle: a refund', () => {
  it('the provider can be read again: settled by its word', async () => {
    const { id, purchaseId, refundId, intent } = await aStuckRefund(world, 'drop_reply');
    await clearFaults();
    const { code, out, err } = await runSvc('settle', id);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^provider +refund re_\w+ is succeeded$/m);
    expect(out).toMatch(/^state +succeeded by the provider's word$/m);
    expect(await paymentOf(refundId)).toMatchObject({ status: 'succeeded' });
    expect(await paymentOf(purchaseId)).toMatchObject({ refundedMinor: 500 });
    expect(await kindsOf(intent)).toEqual(['authorize', 'capture', 'refund']);
    expect(await readWords()).toEqual([]);
    await isClean();
  });

  it('it cannot be read: it stays, and says what it met', async () => {
    const { id, refundId } = await aStuckRefund(world, 'drop_request');
    const { code, out } = await runSvc('settle', id);
    expect(code).toBe(1);
    expect(out).toMatch(/^provider +no certain answer \(read_failed\)$/m);
    expect(out).toMatch(/^state +manual$/m);
    expect(await paymentOf(refundId)).toMatchObject({ status: 'unknown' });
  });

  it('succeeded, where it cannot be read: with its id, in books, events and audit log', async () => {
    const { id, purchaseId, refundId, intent } = await aStuckRefund(world, 'drop_reply');
    await world.fault({ method: 'GET', path: '/v1/refunds/*' }, 'drop_request', faultForever);
    const unnamed = await settleBy(id, 'succeeded');
    expect(unnamed).toMatchObject({ code: 1, err: expect.stringContaining('provider_id_missing') });
    expect(await stateOf(id)).toBe('manual');
    const done = await settleBy(id, 'succeeded', '--provider-id', 're_seen');
    expect(done).toMatchObject({ code: 0, err: '' });
    expect(done.out).toMatch(/^state +succeeded by the operator's word$/m);
    expect(await paymentOf(refundId)).toMatchObject({
      status: 'succeeded',
      providerRefundId: 're_seen',
      financialEffectiveAt: null,
    });
    expect(await paymentOf(purchaseId)).toMatchObject({
      status: 'partially_refunded',
      refundedMinor: 500,
      refundPendingMinor: 0,
    });
    expect(await eventsOf(world, refundId)).toEqual(['refund.created', 'refund.succeeded']);
    expect(await readWords()).toEqual([
      {
        actor_kind: 'operator',
        resource_id: refundId,
        after: {
          ...{ operationId: id, kind: 'refund', outcome: 'succeeded' },
          ...{ reason: 'seen in the dashboard', providerId: 're_seen' },
        },
      },
    ]);
    expect(await kindsOf(intent)).toEqual(['authorize', 'capture', 'refund']);
    await isClean();
  });

  it('failed, where the provider shows none of it: the money can be given back again', async () => {
    const { id, purchaseId, refundId, intent } = await aStuckRefund(world, 'drop_request');
    await clearFaults();
    expect(await settleBy(id, 'failed')).toMatchObject({ code: 0, err: '' });
    expect(await paymentOf(refundId)).toMatchObject({
      status: 'refund_failed',
      failureCode: 'settled_by_operator',
    });
    expect(await eventsOf(world, refundId)).toEqual(['refund.created', 'refund.failed']);
    expect(await paymentOf(purchaseId)).toMatchObject({ refundedMinor: 0, refundPendingMinor: 0 });
    await isClean();
    await aRefund(world, purchaseId, 5);
    expect(await kindsOf(intent)).toEqual(['authorize', 'capture', 'refund']);
    await isClean();
  });

  it('failed, where its list cannot be read: refused, for a second one would pay twice', async () => {
    const { id, refundId } = await aStuckRefund(world, 'drop_reply');
    expect(await settleBy(id, 'failed')).toMatchObject({
      ...{ code: 1, err: expect.stringContaining('provider_unreadable') },
    });
    expect(await paymentOf(refundId)).toMatchObject({ status: 'unknown' });
  });

  it('failed, while the provider shows that it was paid: refused, and the provider counts', async () => {
    const { id, refundId } = await aStuckRefund(world, 'drop_reply');
    await clearFaults();
    const { code, out, err } = await settleBy(id, 'failed');
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringContaining('provider_says_otherwise'),
    });
    expect(out).toMatch(/^state +succeeded by the provider's word$/m);
    expect(await paymentOf(refundId)).toMatchObject({ status: 'succeeded' });
    expect(await readWords()).toEqual([]);
    await isClean();
  });

  it('failed, while the provider shows it with another sum: refused, and it stays', async () => {
    const { id, refundId } = await aStuckRefund(world, 'drop_reply');
    await clearFaults();
    await plantInDatabase(world.ownerUrl, (run) =>
      run('update payments set amount_minor = 499 where id = $1', [refundId]),
    );
    expect(await settleBy(id, 'failed')).toMatchObject({
      code: 1,
      err: expect.stringContaining('provider_says_otherwise'),
    });
    expect(await stateOf(id)).toBe('manual');
    expect(await paymentOf(refundId)).toMatchObject({ status: 'unknown' });
  });

  it('succeeded, by an id that the provider does not have, or of another sum: refused', async () => {
    const { id, purchaseId } = await aStuckRefund(world, 'drop_request');
    await clearFaults();
    const refused = expect.stringContaining('provider_says_otherwise');
    expect(await settleBy(id, 'succeeded', '--provider-id', 're_none')).toMatchObject({
      ...{ code: 1, err: refused },
    });
    const other = await paymentOf(await aRefund(world, purchaseId, 2));
    const taken = await settleBy(id, 'succeeded', '--provider-id', other?.providerRefundId ?? '');
    expect(taken).toMatchObject({ code: 1, err: expect.stringContaining('provider_id_taken') });
    const intent = (await paymentOf(purchaseId))?.providerIntentId;
    const path = `/_control/intents/${intent}/refund`;
    const byHand = (await world.control('POST', path, { amount: 300 })) as { id: string };
    expect(await settleBy(id, 'succeeded', '--provider-id', byHand.id)).toMatchObject({
      ...{ code: 1, err: refused },
    });
    expect(await stateOf(id)).toBe('manual');
    expect(await readWords()).toEqual([]);
  });
});

describe('svc operations settle: a capture', () => {
  it('succeeded, where nothing can be read: captured, and the same key is answered so', async () => {
    const { id, paymentId, intent, key } = await aStuckCapture(world, 'drop_reply');
    expect((await runSvc('list')).out).toContain(id);
    expect(await settleBy(id, 'succeeded')).toMatchObject({ code: 0, err: '' });
    expect(await paymentOf(paymentId)).toMatchObject({
      status: 'succeeded',
      capturedMinor: 1990,
      financialEffectiveAt: null,
    });
    expect(await eventsOf(world, paymentId)).toEqual(['payment.authorized', 'item.purchased']);
    await clearFaults();
    const again = await moveHold(world, 'capturePayment', { paymentId, key });
    expect(again).toMatchObject({ status: 200, isReplayed: true });
    expect(await kindsOf(intent)).toEqual(['authorize', 'capture']);
    expect(await readWords()).toHaveLength(1);
    await isClean();
  });

  it('failed, while the provider shows the hold: it stands, and the same key captures', async () => {
    const { id, paymentId, intent, key } = await aStuckCapture(world, 'drop_request');
    await clearFaults();
    // A call from now on would come too late: nothing is sent.
    await world.fault({ path: '/v1/payment_intents/*/capture' }, 'late', { count: 1, delayMs: 1 });
    expect(await settleBy(id, 'failed')).toMatchObject({
      ...{ code: 1, err: expect.stringContaining('just_asked') },
    });
    await advance(world, 180);
    expect(await settleBy(id, 'failed')).toMatchObject({ code: 0, err: '' });
    expect(await kindsOf(intent)).toEqual(['authorize']);
    expect(await paymentOf(paymentId)).toMatchObject({ status: 'authorized', capturedMinor: 0 });
    expect(await eventsOf(world, paymentId)).toEqual([
      'payment.authorized',
      'payment.capture_failed',
    ]);
    await isClean();
    await clearFaults();
    await moveHold(world, 'capturePayment', { paymentId, key });
    expect(await kindsOf(intent)).toEqual(['authorize', 'capture']);
    await isClean();
  });

  it('failed, while the provider shows that it was captured: refused, and the provider counts', async () => {
    const { id, paymentId } = await aStuckCapture(world, 'drop_reply');
    await clearFaults();
    const { code, out, err } = await settleBy(id, 'failed');
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringContaining('provider_says_otherwise'),
    });
    expect(out).toMatch(/^provider +pi_\w+ is captured$/m);
    expect(await paymentOf(paymentId)).toMatchObject({ status: 'succeeded' });
    expect(await readWords()).toEqual([]);
    await isClean();
  });

  it('succeeded, while the provider shows the hold: refused', async () => {
    const { id, paymentId } = await aStuckCapture(world, 'drop_request');
    await clearFaults();
    await world.fault({ path: '/v1/payment_intents/*/capture' }, 'drop_request', faultForever);
    expect(await settleBy(id, 'succeeded')).toMatchObject({
      code: 1,
      err: expect.stringContaining('provider_says_otherwise'),
    });
    expect(await settleBy(id, 'succeeded', '--provider-id', 'pi_other')).toMatchObject({
      code: 1,
      err: expect.stringContaining('provider_id_differs'),
    });
    expect(await paymentOf(paymentId)).toMatchObject({ status: 'unknown', capturedMinor: 0 });
  });
});

describe('svc operations settle: an attempt', () => {
  it.each([
    ['succeeded', 'succeeded', 'completed'],
    ['failed', 'failed', 'open'],
  ])('%s, where nothing can be read', async (outcome, status) => {
    const session = await aSession(world, { captureMethod: 'automatic' });
    const { id, paymentId } = await aStuckAttempt(session, outcome);
    expect(await settleBy(id, outcome)).toMatchObject({ code: 0, err: '' });
    expect(await paymentsOf(world, session)).toMatchObject([{ id: paymentId, status }]);
    expect(await readWords()).toHaveLength(1);
    await isClean();
  });

  it('succeeded, of a card that is to be kept: only beside the word of the provider', async () => {
    const session = await vouchedSession(world, { products: [{ code: 'club', quantity: 1 }] });
    const { id } = await aStuckAttempt(session, 'succeeded');
    expect(await settleBy(id, 'succeeded')).toMatchObject({
      ...{ code: 1, err: expect.stringContaining('provider_unreadable') },
    });
    await clearFaults();
    expect(await runSvc('settle', id)).toMatchObject({ code: 0, err: '' });
    expect(await subscriptionsOfSession(world, session)).toHaveLength(1);
    await isClean();
  });

  async function aStuckAttempt(session: Checkout, outcome: string) {
    const path = '/v1/payment_intents/*';
    const sent = outcome === 'failed' ? 'drop_request' : 'drop_reply';
    await world.fault({ path: `${path}/confirm` }, sent, { count: 2 });
    await world.fault({ method: 'GET', path }, 'drop_request', faultForever);
    await pay(world, session).catch(() => undefined);
    await world.fault({ path: `${path}/confirm` }, 'drop_request', faultForever);
    await advance(world, day + 60);
    for (let look = 0; look <= manualChecks; look++) await runRecovery(world);
    const { id, payment_id: paymentId, state } = await lastOperation(world);
    expect(state).toBe('manual');
    return { id, paymentId };
  }

  it('failed by word, and captured all the same: the next comparison tells, whatever its sample', async () => {
    const session = await aSession(world, { captureMethod: 'automatic' });
    const { id, paymentId } = await aStuckAttempt(session, 'succeeded');
    expect(await settleBy(id, 'failed')).toMatchObject({ code: 0, err: '' });
    await clearFaults();
    const { seen } = await reconcileAll(world.ports, { sample: 0 });
    expect(seen).toMatchObject([{ paymentId, providers: { amount: 19.9 } }]);
  });
});

describe('svc operations refuses', () => {
  it('what is not there, and what waits for nobody', async () => {
    const missing = newId();
    expect(await runSvc('settle', missing)).toMatchObject({
      code: 1,
      err: `svc operations: operation_not_found: there is no such operation, see svc operations list\n`,
    });
    const { paymentId } = await aHold(world);
    const { id } = await lastOperation(world);
    const notManual = { code: 1, err: expect.stringContaining('operation_not_manual') };
    expect(await settleBy(id, 'failed')).toMatchObject(notManual);
    await world.fault({ path: '/v1/payment_intents/*/capture' }, 'drop_request', faultForever);
    await moveHold(world, 'capturePayment', { paymentId, key: newId() }).catch(() => undefined);
    expect(await settleBy((await lastOperation(world)).id, 'failed')).toMatchObject(notManual);
    expect(await paymentOf(paymentId)).toMatchObject({ status: 'unknown' });
    expect(await readWords()).toEqual([]);
  });
  const id = '00000000-0000-4000-8000-000000000001';
  it.each([
    [['settle'], 'the id of the operation is missing'],
    [['settle', 'op_1'], 'the id of the operation is none: op_1'],
    [['settle', id, '--outcome', 'done'], '--outcome is succeeded or failed'],
    [['settle', id, '--outcome', 'failed'], '--reason is missing'],
    [['settle', id, '--outcome', 'failed', '--reason', ' '], '--reason is missing'],
    [['settle', id, '--reason', 'x'], '--reason belongs to'],
    [['settle', id, '--provider-id', 're_1'], '--provider-id belongs to'],
    [['list', '--state', 'done'], '--state is active'],
    [['list', '--outcome', 'failed'], '--outcome belongs to'],
    [['lst'], 'did you mean list?'],
  ])('%j: says what is wrong', async (args, said) => {
    const { code, err } = await runSvc(...args);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(said) });
  });
});
