// Capture and cancel share one engine, so they are tested together. Spec: Payments, Errors. Contract §2, Idempotency.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aClient, aToken, moveClock, newId } from '../../../test/harness.ts';
import {
  aHold,
  aSession,
  impatient,
  moveHold,
  pay,
  startWorld,
  type World,
} from '../../../test/world.ts';
import { settleInDoubt } from '../../engine/runs/payments/settle-in-doubt.ts';
import { sql } from '../../storage/database/sql.ts';
import { findPayment } from '../../storage/payments/payments.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

const events = sql<{ type: string; sequence: number; payload: string }>(
  'test_events',
  'select type, sequence, payload from events where resource_id = $1 order by sequence',
);
const eventTypes = async (id: string) =>
  (await world.database.read(events, [id])).map((event) => event.type);
const statusOf = async (id: string) =>
  (await findPayment(world.database, world.client.id, id))?.status;
const intentOf = async (id: string) =>
  (await findPayment(world.database, world.client.id, id))?.providerIntentId ?? '';
const capturesOf = async (id: string) =>
  (await world.ledger(await intentOf(id))).filter((entry) => entry.kind === 'capture');
const code = (name: string) => expect.objectContaining({ code: name });

const expireLeases = sql(
  'test_expire_leases',
  `update payment_operations set lease_until = svc_clock(), next_check_at = svc_clock()
   where state in ('active', 'in_doubt', 'awaiting_customer')`,
);
async function recoverOperations(): Promise<void> {
  await world.database.write(expireLeases, []);
  await settleInDoubt(world.ports, {
    limit: 50,
    onError: (_, error) => {
      throw error;
    },
  });
}

describe('capturePayment', () => {
  it('Spec 3.1.1 · Spec 4.2.1 · Spec 6.5 · Spec 8.8 · Contract §2 authorized to succeeded · 200: captures the whole hold once and tells it by one item.purchased', async () => {
    const { paymentId } = await aHold(world);
    const answer = await moveHold(world, 'capturePayment', { paymentId, key: newId() });
    expect(answer).toMatchObject({ status: 200, isReplayed: false });
    const payment = JSON.parse((answer as { replay: string }).replay);
    expect(payment).toMatchObject({ status: 'succeeded', amount: 19.9, amountCaptured: 19.9 });
    expect(payment.financialEffectiveAt).not.toBeNull();
    expect(await capturesOf(paymentId)).toMatchObject([{ amount: 1990 }]);
    expect(await eventTypes(paymentId)).toEqual(['payment.authorized', 'item.purchased']);
    const [, purchase] = await world.database.read(events, [paymentId]);
    expect(JSON.parse(purchase?.payload ?? '{}').data.object).toMatchObject({
      paymentId,
      items: [{ code: 'mug', quantity: 1, totalAmount: 19.9, currency: 'EUR' }],
      amount: 19.9,
    });
  });

  it('Spec 4.2 rule 3: replays byte for byte, without a second capture', async () => {
    const { paymentId } = await aHold(world);
    const key = newId();
    const first = await moveHold(world, 'capturePayment', { paymentId, key });
    const second = await moveHold(world, 'capturePayment', { paymentId, key });
    expect(second).toEqual({ ...first, isReplayed: true });
    expect(await capturesOf(paymentId)).toHaveLength(1);
  });

  it('20 callers at once with one key: one capture, one body', async () => {
    const { paymentId } = await aHold(world);
    const key = newId();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => moveHold(world, 'capturePayment', { paymentId, key })),
    );
    expect(new Set(answers.map((answer) => (answer as { replay: string }).replay)).size).toBe(1);
    expect(await capturesOf(paymentId)).toHaveLength(1);
    expect(await eventTypes(paymentId)).toEqual(['payment.authorized', 'item.purchased']);
  });

  it('Spec 7.1.3 · Spec 4.2 rule 4 · 404 payment_not_found: missing and foreign alike, before the provider hears of it', async () => {
    const { paymentId } = await aHold(world);
    const stranger = await aToken(world.database, await aClient(world.database));
    const key = newId();
    await expect(
      moveHold(world, 'capturePayment', { paymentId, key, token: stranger }),
    ).rejects.toEqual(code('payment_not_found'));
    await expect(moveHold(world, 'capturePayment', { paymentId: newId(), key })).rejects.toEqual(
      code('payment_not_found'),
    );
    expect(await capturesOf(paymentId)).toHaveLength(0);
  });

  it('Spec 7.1.2 · Contract §6 member · 403 merchant_role_required: a member may not capture', async () => {
    const { paymentId } = await aHold(world);
    const member = await aToken(world.database, world.client, { role: 'member' });
    const { operations } = await import('../index.ts');
    const { callerOf } = await import('../../../test/harness.ts');
    const { refuse } = await import('../../engine/implement.ts');
    const digest = Buffer.alloc(32);
    await expect(
      operations.capturePayment(
        { paymentId, body: {}, idempotencyKey: 'k', rawSha256: digest, canonSha256: digest },
        callerOf(member, { role: 'member' } as never),
        world.ports,
        refuse,
      ),
    ).rejects.toEqual(code('merchant_role_required'));
  });

  it('Spec 4.2 rule 2 · 409 idempotency_key_reused: the first operation stands', async () => {
    const { paymentId } = await aHold(world);
    const other = await aHold(world);
    const key = newId();
    const first = await moveHold(world, 'capturePayment', { paymentId, key });
    await expect(
      moveHold(world, 'capturePayment', { paymentId, key, body: '{"a":1}' }),
    ).rejects.toEqual(code('idempotency_key_reused'));
    await expect(
      moveHold(world, 'capturePayment', { paymentId: other.paymentId, key }),
    ).rejects.toEqual(code('idempotency_key_reused'));
    expect(await moveHold(world, 'capturePayment', { paymentId, key })).toMatchObject({
      replay: (first as { replay: string }).replay,
    });
    expect(await capturesOf(other.paymentId)).toHaveLength(0);
  });

  it('a key of capture and the same key of cancel are independent', async () => {
    const held = await aHold(world);
    const other = await aHold(world);
    const key = newId();
    await moveHold(world, 'capturePayment', { paymentId: held.paymentId, key });
    const answer = await moveHold(world, 'cancelPayment', { paymentId: other.paymentId, key });
    expect(answer).toMatchObject({ status: 200 });
  });

  it('Spec 7.1.4 · 409 payment_not_authorized: captured at once, captured before, voided', async () => {
    const session = await aSession(world, { captureMethod: 'automatic' });
    const paid = await pay(world, session);
    const { paymentId } = (paid as { body: { paymentId: string } }).body;
    await expect(moveHold(world, 'capturePayment', { paymentId, key: newId() })).rejects.toEqual(
      code('payment_not_authorized'),
    );
    const held = await aHold(world);
    await moveHold(world, 'cancelPayment', { paymentId: held.paymentId, key: newId() });
    await expect(
      moveHold(world, 'capturePayment', { paymentId: held.paymentId, key: newId() }),
    ).rejects.toEqual(code('payment_not_authorized'));
  });

  it('409 payment_operation_in_progress: another key while one is in doubt', async () => {
    const { paymentId } = await aHold(world);
    await world.fault({ path: '/v1/payment_intents/*/capture' }, 'drop_request', { count: 2 });
    await expect(moveHold(world, 'capturePayment', { paymentId, key: newId() })).rejects.toEqual(
      code('gateway_outcome_unknown'),
    );
    expect(await statusOf(paymentId)).toBe('unknown');
    await expect(moveHold(world, 'cancelPayment', { paymentId, key: newId() })).rejects.toEqual(
      code('payment_operation_in_progress'),
    );
    await recoverOperations();
    expect(await statusOf(paymentId)).toBe('succeeded');
  });

  it('Spec 3.1.2 · Spec 6.2 · Spec 7.1.5 · 502 gateway_capture_failed: refused, told once, still held, and the key goes on', async () => {
    const { paymentId } = await aHold(world);
    const key = newId();
    await world.fault({ path: '/v1/payment_intents/*/capture' }, 'decline');
    await expect(moveHold(world, 'capturePayment', { paymentId, key })).rejects.toEqual(
      code('gateway_capture_failed'),
    );
    expect(await statusOf(paymentId)).toBe('authorized');
    expect(await eventTypes(paymentId)).toEqual(['payment.authorized', 'payment.capture_failed']);
    const answer = await moveHold(world, 'capturePayment', { paymentId, key });
    expect(answer).toMatchObject({ status: 200, isReplayed: false });
    const [capture] = await capturesOf(paymentId);
    expect(capture?.idempotencyKey).toMatch(/^op-[0-9a-f-]{36}-2$/);
  });

  it('a recorded server error that the provider replays is a refusal', async () => {
    const { paymentId } = await aHold(world);
    const key = newId();
    await world.fault({ path: '/v1/payment_intents/*/capture' }, 'error_500');
    await expect(moveHold(world, 'capturePayment', { paymentId, key })).rejects.toEqual(
      code('gateway_capture_failed'),
    );
    expect(await moveHold(world, 'capturePayment', { paymentId, key })).toMatchObject({
      status: 200,
    });
    expect(await capturesOf(paymentId)).toHaveLength(1);
  });

  it.each(['timeout_after_commit', 'drop_reply'])(
    'an answer lost by %s is found out: captured once, never called failed',
    async (action) => {
      const { paymentId } = await aHold(world);
      await world.fault({ path: '/v1/payment_intents/*/capture' }, action, { count: 1 });
      const capturing = moveHold(impatient(world), 'capturePayment', { paymentId, key: newId() });
      expect(await capturing).toMatchObject({ status: 200 });
      expect(await capturesOf(paymentId)).toHaveLength(1);
    },
  );

  it.each(['wrong_amount', 'truncated', 'error_503_unrecorded', 'drop_request', 'late'])(
    'Spec 4.2 rule 1: in doubt by %s: 502 gateway_outcome_unknown, no event, settled by recovery',
    async (action) => {
      const { paymentId } = await aHold(world);
      const key = newId();
      const more = { count: 2, delayMs: 700 };
      await world.fault({ path: '/v1/payment_intents/*/capture' }, action, more);
      const outcome = await moveHold(world, 'capturePayment', { paymentId, key }).catch(
        (error: { code: string }) => error.code,
      );
      if (outcome === 'gateway_outcome_unknown') {
        expect(await statusOf(paymentId)).toBe('unknown');
        expect(await eventTypes(paymentId)).toEqual(['payment.authorized']);
      }
      await world.control('DELETE', '/_control/faults');
      await recoverOperations();
      expect(await statusOf(paymentId)).toBe('succeeded');
      expect(await moveHold(world, 'capturePayment', { paymentId, key })).toMatchObject({
        isReplayed: true,
      });
      expect(await eventTypes(paymentId)).toEqual(['payment.authorized', 'item.purchased']);
      expect(await capturesOf(paymentId)).toHaveLength(1);
    },
  );

  it('captured by hand at the provider: the capture finds it done', async () => {
    const { paymentId } = await aHold(world);
    const intent = await intentOf(paymentId);
    await world.control('POST', `/_control/intents/${intent}/capture`);
    const answer = await moveHold(world, 'capturePayment', { paymentId, key: newId() });
    expect(answer).toMatchObject({ status: 200 });
    expect(await capturesOf(paymentId)).toHaveLength(1);
  });

  it('cancelled by hand at the provider: voided as provider_canceled, 409 and replayed as such', async () => {
    const { paymentId } = await aHold(world);
    await world.control('POST', `/_control/intents/${await intentOf(paymentId)}/cancel`);
    const key = newId();
    for (const _ of [1, 2]) {
      await expect(moveHold(world, 'capturePayment', { paymentId, key })).rejects.toEqual(
        code('payment_not_authorized'),
      );
    }
    const payment = await findPayment(world.database, world.client.id, paymentId);
    expect(payment).toMatchObject({
      status: 'voided',
      authorizationVoidReason: 'provider_canceled',
    });
    expect(await eventTypes(paymentId)).toEqual([
      'payment.authorized',
      'payment.authorization_voided',
    ]);
  });
});

describe('cancelPayment', () => {
  it('Spec 3.1.3 · Spec 4.2.2 · Spec 6.3 · Contract §2 authorized to voided · 200: releases the hold, nothing is collected', async () => {
    const { paymentId } = await aHold(world);
    const answer = await moveHold(world, 'cancelPayment', { paymentId, key: newId() });
    expect(JSON.parse((answer as { replay: string }).replay)).toMatchObject({
      status: 'voided',
      authorizationVoidReason: 'merchant_requested',
      amountCaptured: 0,
    });
    expect(await eventTypes(paymentId)).toEqual([
      'payment.authorized',
      'payment.authorization_voided',
    ]);
    const kinds = (await world.ledger(await intentOf(paymentId))).map((entry) => entry.kind);
    expect(kinds).toEqual(['authorize', 'void']);
  });

  it('502 gateway_cancel_failed: no event, still held, and the key goes on', async () => {
    const { paymentId } = await aHold(world);
    const key = newId();
    await world.fault({ path: '/v1/payment_intents/*/cancel' }, 'error_500');
    await expect(moveHold(world, 'cancelPayment', { paymentId, key })).rejects.toEqual(
      code('gateway_cancel_failed'),
    );
    expect(await eventTypes(paymentId)).toEqual(['payment.authorized']);
    expect(await moveHold(world, 'cancelPayment', { paymentId, key })).toMatchObject({
      status: 200,
    });
  });

  it('cancelled by hand at the provider before our first cancel: provider_canceled, 409 and replayed', async () => {
    const { paymentId } = await aHold(world);
    await world.control('POST', `/_control/intents/${await intentOf(paymentId)}/cancel`);
    const key = newId();
    for (const _ of [1, 2]) {
      await expect(moveHold(world, 'cancelPayment', { paymentId, key })).rejects.toEqual(
        code('payment_not_authorized'),
      );
    }
    expect(await findPayment(world.database, world.client.id, paymentId)).toMatchObject({
      status: 'voided',
      authorizationVoidReason: 'provider_canceled',
    });
    const told = await world.database.read(events, [paymentId]);
    expect(told.map(({ type }) => type)).toEqual([
      'payment.authorized',
      'payment.authorization_voided',
    ]);
    const payload = told[1]?.payload ?? '{}';
    expect(JSON.parse(payload).data.object.authorizationVoidReason).toBe('provider_canceled');
  });

  it.each(['drop_reply', 'timeout_after_commit'])(
    'its answers lost by %s, and asked again: still our own, told as merchant_requested',
    async (action) => {
      const { paymentId } = await aHold(world);
      const key = newId();
      await world.fault({ path: '/v1/payment_intents/*/cancel' }, action, { count: 2 });
      await world.fault({ path: '/v1/payment_intents/*' }, 'error_503_unrecorded', { count: 9 });
      const cancelling = () => moveHold(impatient(world), 'cancelPayment', { paymentId, key });
      await expect(cancelling()).rejects.toEqual(code('gateway_outcome_unknown'));
      await world.control('DELETE', '/_control/faults');
      await expect(cancelling()).resolves.toMatchObject({ status: 200 });
      expect(await findPayment(world.database, world.client.id, paymentId)).toMatchObject({
        status: 'voided',
        authorizationVoidReason: 'merchant_requested',
      });
    },
  );

  it('done by an attempt that was refused on the record: the next one tells it as our own', async () => {
    const { paymentId } = await aHold(world);
    const key = newId();
    const path = '/v1/payment_intents/*';
    await world.fault({ path: `${path}/cancel` }, 'error_500', { count: 2, executes: true });
    await world.fault({ method: 'GET', path }, 'stale_read', { count: 1 });
    await moveHold(world, 'cancelPayment', { paymentId, key }).catch(() => undefined);
    await world.control('DELETE', '/_control/faults');
    await expect(moveHold(world, 'cancelPayment', { paymentId, key })).resolves.toMatchObject({
      status: 200,
    });
    expect(await findPayment(world.database, world.client.id, paymentId)).toMatchObject({
      status: 'voided',
      authorizationVoidReason: 'merchant_requested',
    });
  });

  it('capture against cancel, 20 at once: one of them happens, never both', async () => {
    const { paymentId } = await aHold(world);
    await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) =>
        moveHold(world, index % 2 ? 'capturePayment' : 'cancelPayment', {
          paymentId,
          key: newId(),
        }),
      ),
    );
    const kinds = (await world.ledger(await intentOf(paymentId))).map((entry) => entry.kind);
    expect(kinds.filter((kind) => kind === 'capture' || kind === 'void')).toHaveLength(1);
    expect(await eventTypes(paymentId)).toHaveLength(2);
  });
});

describe('a hold whose time is over', () => {
  it('409 authorization_expired: no capture leaves us, also not for a key in doubt', async () => {
    const fresh = await startWorld();
    try {
      const { paymentId } = await aHold(fresh);
      const doubtful = await aHold(fresh);
      const key = newId();
      await fresh.fault({ path: '/v1/payment_intents/*/capture' }, 'drop_request', { count: 2 });
      await expect(
        moveHold(fresh, 'capturePayment', { paymentId: doubtful.paymentId, key }),
      ).rejects.toEqual(code('gateway_outcome_unknown'));
      await fresh.control('POST', '/_control/clock/advance', { seconds: 7 * 86_400 + 1 });
      await moveClock(fresh.database, (7 * 86_400 + 1) * 1000);
      await expect(moveHold(fresh, 'capturePayment', { paymentId, key: newId() })).rejects.toEqual(
        code('authorization_expired'),
      );
      await expect(
        moveHold(fresh, 'capturePayment', { paymentId: doubtful.paymentId, key }),
      ).rejects.toEqual(code('authorization_expired'));
      const payment = await findPayment(fresh.database, fresh.client.id, doubtful.paymentId);
      expect(payment).toMatchObject({ status: 'voided', authorizationVoidReason: 'expired' });
      const kinds = (await fresh.ledger()).map((entry) => entry.kind);
      expect(kinds).not.toContain('capture');
    } finally {
      await fresh.close();
    }
  });
});
