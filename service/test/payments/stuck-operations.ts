// Operations that wait for a person, because the provider could not report their outcome for a day.

import { expect } from 'vitest';
import { sql } from '../../src/storage/database/sql.ts';
import { findPayment } from '../../src/storage/payments/payments.ts';
import { newId } from '../harness.ts';
import { aHold, moveHold, type World } from '../world.ts';
import { runRecovery } from './checkouts.ts';
import { advance, aPurchase, aRefund } from './planted.ts';

export const day = 24 * 3600;
/** The count of a fault that lasts until it is cleared. */
export const faultForever = { count: 1000 };

const findLast = sql<{ id: string; payment_id: string; state: string }>(
  't_stuck_last_operation',
  'select id, payment_id, state from payment_operations order by created_at desc, id desc limit 1',
);

export async function lastOperation(world: World) {
  const [row] = await world.database.read(findLast, []);
  if (!row) throw new Error('there is no operation');
  return row;
}

const intentOf = async (world: World, id: string) =>
  (await findPayment(world.database, world.client.id, id))?.providerIntentId ?? '';

/** Creates a refund that could not be settled for a day and cannot be read at the provider. */
export async function aStuckRefund(world: World, sent: 'drop_reply' | 'drop_request') {
  const purchaseId = await aPurchase(world);
  const intent = await intentOf(world, purchaseId);
  await world.fault({ method: 'POST', path: '/v1/refunds' }, sent, { count: 2 });
  await world.fault({ method: 'GET', path: '/v1/refunds' }, 'drop_request', faultForever);
  await expect(aRefund(world, purchaseId, 5)).rejects.toMatchObject({
    code: 'gateway_outcome_unknown',
  });
  await advance(world, day + 60);
  await runRecovery(world);
  const { id, payment_id: refundId, state } = await lastOperation(world);
  expect(state).toBe('manual');
  return { id, purchaseId, refundId, intent };
}

/** Creates a capture whose outcome the provider could not report for a day. */
export async function aStuckCapture(world: World, sent: 'drop_reply' | 'drop_request') {
  const { paymentId } = await aHold(world);
  const intent = await intentOf(world, paymentId);
  const path = '/v1/payment_intents/*';
  await world.fault({ method: 'POST', path: `${path}/capture` }, sent, { count: 2 });
  await world.fault({ method: 'GET', path }, 'drop_request', faultForever);
  const key = newId();
  await expect(moveHold(world, 'capturePayment', { paymentId, key })).rejects.toMatchObject({
    code: 'gateway_outcome_unknown',
  });
  await world.fault({ method: 'POST', path: `${path}/capture` }, 'drop_request', faultForever);
  await advance(world, day + 60);
  await runRecovery(world);
  return { id: (await lastOperation(world)).id, paymentId, intent, key };
}
