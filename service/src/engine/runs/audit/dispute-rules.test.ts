// Tests of rule M14 for disputes of which only some movements are rows, or whose movements are in
// several currencies.

import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import {
  aPurchase,
  chargebacksOf,
  deliverDisputeEvents,
  dispute,
  disputeOf,
  step,
} from '../../../../test/payments/disputes.ts';
import { advance, plantInDatabase } from '../../../../test/payments/planted.ts';
import { startWorld, type World } from '../../../../test/world.ts';
import { sql } from '../../../storage/database/sql.ts';
import { runAudit } from './run-audit.ts';

let world: World;
beforeEach(async () => {
  await world?.close();
  world = await startWorld();
});
afterAll(() => world?.close());

const classifyFrom = sql(
  'test_audit_classified_from',
  `update gateways set classified_from = svc_clock() + make_interval(secs => $2) where id = $1`,
);

async function audit(): Promise<string[]> {
  const found: string[] = [];
  await runAudit({
    url: world.url,
    onViolation: ({ rule, subject }) => void found.push(`${rule} ${subject}`),
  });
  return found;
}

const plantChange = (text: string, values: readonly unknown[]) =>
  plantInDatabase(world.ownerUrl, (run) => run(text, values));

/**
 * Creates a dispute that was withdrawn before its classification began and reinstated after it:
 * only the reinstatement is a row.
 */
async function createHalfClassified(): Promise<string> {
  const { paymentId, intent } = await aPurchase(world);
  const id = await dispute(world, intent);
  await world.database.write(classifyFrom, [world.gatewayId, 3600]);
  await deliverDisputeEvents(world, id);
  await advance(world, 120);
  await world.database.write(classifyFrom, [world.gatewayId, -60]);
  await step(world, id, 'close', { outcome: 'won' });
  await deliverDisputeEvents(world, id);
  expect((await chargebacksOf(world, paymentId)).map((row) => row.amount_minor)).toEqual(['-1990']);
  return paymentId;
}

describe('M14', () => {
  it('Contract §12: what came back of a withdrawal that is no row is right, and shown with its sign', async () => {
    const paymentId = await createHalfClassified();
    expect(await audit()).toEqual([]);
    // The sum that a merchant makes of the rows, by Payment rule 2.
    expect(await disputeOf(world, paymentId)).toMatchObject({
      amount: 19.9,
      withdrawnAmount: -19.9,
    });
  });

  it('never more than was disputed, and never below zero for a dispute of later', async () => {
    const paymentId = await createHalfClassified();
    await plantChange('update payments set amount_minor = -1991 where parent_payment_id = $1', [
      paymentId,
    ]);
    expect(await audit()).toEqual([`M14 ${paymentId}`]);
    await plantChange('update payments set amount_minor = -1990 where parent_payment_id = $1', [
      paymentId,
    ]);
    await plantChange(
      `update disputes set opened_at = opened_at + interval '1 hour' where payment_id = $1`,
      [paymentId],
    );
    expect(await audit()).toEqual([`M14 ${paymentId}`]);
  });

  it('withdrawn in one currency of the balance and reinstated in another', async () => {
    const { paymentId, intent } = await aPurchase(world);
    const id = await dispute(world, intent);
    await step(world, id, 'close', { outcome: 'won' });
    await deliverDisputeEvents(world, id);
    await plantChange(
      `update payments set currency = 'USD' where parent_payment_id = $1 and amount_minor > 0`,
      [paymentId],
    );
    expect(await audit()).toEqual([]);
    await plantChange(`delete from disputes where payment_id = $1`, [paymentId]);
    expect(await audit()).toContain(`M14 ${paymentId}`);
  });
});
