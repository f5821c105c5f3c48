// A hold that nobody captured. Spec: States and transitions, provider expiry. Contract §2, Hold.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { moveClock, newId } from '../../../../test/harness.ts';
import { unclearDue } from '../../../../test/payments/checkouts.ts';
import { aHold, moveHold, startWorld, type World } from '../../../../test/world.ts';
import { sql } from '../../../storage/database/sql.ts';
import { findPayment } from '../../../storage/payments/payments.ts';
import { expireHolds } from './expire-holds.ts';
import { settleInDoubt } from './settle-in-doubt.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

const eventsOf = sql<{ type: string }>(
  'test_expiry_events',
  'select type from events where resource_id = $1 order by sequence',
);
const typesOf = async (id: string) =>
  (await world.database.read(eventsOf, [id])).map((event) => event.type);
const openHolds = sql<{ payment_id: string }>('test_open_holds', 'select * from open_holds');

const day = 86_400;
const expireOnce = () =>
  expireHolds(world.ports, {
    limit: 50,
    onError: (_, error) => {
      throw error;
    },
  });
/** Moves the clock that sandbox and service share. */
async function advance(seconds: number): Promise<void> {
  await world.control('POST', '/_control/clock/advance', { seconds });
  await moveClock(world.database, seconds * 1000);
}

describe('expireHolds', () => {
  it('Spec 3.1.4 · Spec 6.4: warns once, a day before; then voided as expired on the provider’s word, one event each', async () => {
    const { paymentId } = await aHold(world);
    expect(await expireOnce()).toBe(0);
    await advance(6 * day);
    expect(await expireOnce()).toBe(1);
    expect(await expireOnce()).toBe(0);
    expect(await typesOf(paymentId)).toEqual([
      'payment.authorized',
      'payment.authorization_expiring',
    ]);
    await advance(day + 1);
    expect(await expireOnce()).toBe(1);
    expect(await findPayment(world.database, world.client.id, paymentId)).toMatchObject({
      status: 'voided',
      authorizationVoidReason: 'expired',
      capturedMinor: 0,
    });
    expect(await typesOf(paymentId)).toEqual([
      'payment.authorized',
      'payment.authorization_expiring',
      'payment.authorization_expired',
    ]);
    expect(await expireOnce()).toBe(0);
    expect(await world.database.read(openHolds, [])).toEqual([]);
  });

  it('a hold that the provider still keeps at its deadline is released there, and only then voided', async () => {
    const { paymentId } = await aHold(world);
    const before = await findPayment(world.database, world.client.id, paymentId);
    // Our clock alone is past the deadline: the provider still holds.
    await moveClock(world.database, (7 * day + 1) * 1000);
    await world.fault({ path: '/v1/payment_intents/*/cancel' }, 'error_503_unrecorded', {
      count: 2,
    });
    await expireOnce();
    expect(await findPayment(world.database, world.client.id, paymentId)).toMatchObject({
      status: 'authorized',
    });
    await moveClock(world.database, 60_000);
    await settleInDoubt(world.ports, { limit: 9, onError: (_, error) => Promise.reject(error) });
    expect(await findPayment(world.database, world.client.id, paymentId)).toMatchObject({
      status: 'voided',
      authorizationVoidReason: 'expired',
    });
    const kinds = (await world.ledger(before?.providerIntentId ?? '')).map((one) => one.kind);
    expect(kinds).toEqual(['authorize', 'void']);
    await moveClock(world.database, -(7 * day + 61) * 1000);
  });

  it('a hold captured out of band is settled as captured, not voided', async () => {
    const { paymentId } = await aHold(world);
    const payment = await findPayment(world.database, world.client.id, paymentId);
    await world.control('POST', `/_control/intents/${payment?.providerIntentId}/capture`);
    await moveClock(world.database, (7 * day + 1) * 1000);
    await expireOnce();
    expect(await findPayment(world.database, world.client.id, paymentId)).toMatchObject({
      status: 'succeeded',
    });
    await moveClock(world.database, -(7 * day + 1) * 1000);
  });

  const captures = { path: '/v1/payment_intents/*/capture' };
  const readings = { method: 'GET', path: '/v1/payment_intents/*' };
  const captureInDoubt = async (paymentId: string, action: string) => {
    await world.fault(captures, action, { count: 2 });
    await world.fault(readings, 'error_503_unrecorded', { count: 1 });
    const key = newId();
    const capturing = moveHold(world, 'capturePayment', { paymentId, key });
    await expect(capturing).rejects.toMatchObject({ code: 'gateway_outcome_unknown' });
    await world.control('DELETE', '/_control/faults');
    return key;
  };
  const recoverOperations = async () => {
    await world.database.write(unclearDue, []);
    await settleInDoubt(world.ports, { limit: 9, onError: (_, error) => Promise.reject(error) });
  };
  const kindsOf = async (paymentId: string) => {
    const payment = await findPayment(world.database, world.client.id, paymentId);
    const entries = await world.ledger(payment?.providerIntentId ?? '');
    return entries.map(({ kind }) => kind);
  };

  it('a hold in doubt when its warning is due is warned of once it is back', async () => {
    const { paymentId } = await aHold(world);
    await world.fault(captures, 'drop_request', { count: 2 });
    const key = newId();
    const captureHold = () => moveHold(world, 'capturePayment', { paymentId, key });
    await expect(captureHold()).rejects.toMatchObject({ code: 'gateway_outcome_unknown' });
    await advance(6 * day + 3600);
    await expireOnce();
    await world.fault(captures, 'decline');
    await expect(captureHold()).rejects.toMatchObject({ code: 'gateway_capture_failed' });
    expect(await expireOnce()).toBe(1);
    expect(await typesOf(paymentId)).toEqual([
      'payment.authorized',
      'payment.capture_failed',
      'payment.authorization_expiring',
    ]);
  });

  it('a capture in flight at the deadline wins when the provider says captured', async () => {
    const { paymentId } = await aHold(world);
    await captureInDoubt(paymentId, 'drop_reply');
    await advance(7 * day + 1);
    await expireOnce();
    expect((await findPayment(world.database, world.client.id, paymentId))?.status).toBe('unknown');
    await recoverOperations();
    expect(await findPayment(world.database, world.client.id, paymentId)).toMatchObject({
      status: 'succeeded',
      capturedMinor: 1990,
    });
    expect(await typesOf(paymentId)).toEqual(['payment.authorized', 'item.purchased']);
    expect(await kindsOf(paymentId)).toEqual(['authorize', 'capture']);
  });

  it('cancelled at the provider under a capture in doubt: provider_canceled, 409 for its key', async () => {
    const { paymentId } = await aHold(world);
    const key = await captureInDoubt(paymentId, 'error_503_unrecorded');
    const payment = await findPayment(world.database, world.client.id, paymentId);
    await world.control('POST', `/_control/intents/${payment?.providerIntentId}/cancel`);
    await recoverOperations();
    expect(await findPayment(world.database, world.client.id, paymentId)).toMatchObject({
      status: 'voided',
      authorizationVoidReason: 'provider_canceled',
    });
    expect(await typesOf(paymentId)).toEqual([
      'payment.authorized',
      'payment.capture_failed',
      'payment.authorization_voided',
    ]);
    expect(await kindsOf(paymentId)).toEqual(['authorize', 'void']);
    await expect(moveHold(world, 'capturePayment', { paymentId, key })).rejects.toMatchObject({
      code: 'payment_not_authorized',
    });
  });

  it('a captured or cancelled hold leaves nothing to expire', async () => {
    const captured = await aHold(world);
    const cancelled = await aHold(world);
    expect(await world.database.read(openHolds, [])).toHaveLength(2);
    await moveHold(world, 'capturePayment', { paymentId: captured.paymentId, key: newId() });
    await moveHold(world, 'cancelPayment', { paymentId: cancelled.paymentId, key: newId() });
    expect(await world.database.read(openHolds, [])).toEqual([]);
  });

  it('two passes at once end a hold once', async () => {
    const { paymentId } = await aHold(world);
    await advance(7 * day + 1);
    await Promise.all([expireOnce(), expireOnce(), expireOnce()]);
    expect((await typesOf(paymentId)).filter((type) => type.endsWith('expired'))).toHaveLength(1);
  });
});
