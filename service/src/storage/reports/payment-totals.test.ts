// Sums of payments through their copy always equal those of the payments themselves, whatever has
// changed since.

import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  aPurchase as aBought,
  deliverDisputeEvents,
  dispute,
} from '../../../test/payments/disputes.ts';
import { copyEveryPayment } from '../../../test/payments/listed-payments.ts';
import { aPurchase, aRefund, everyState, plantInDatabase } from '../../../test/payments/planted.ts';
import { startWorld, type World } from '../../../test/world.ts';
import { runAudit } from '../../engine/runs/audit/run-audit.ts';
import { sql } from '../database/sql.ts';
import { keptTables } from '../payment-index/kept-sums.ts';
import { findProjected } from '../payments/payment-lists.ts';
import { readPaymentTotals } from './payment-totals.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

const setComplete = sql(
  'test_payment_totals_complete',
  'update payment_index_state set is_complete = $1',
);

const filter = (field: string, ...values: string[]) => ({
  field,
  op: values.length === 1 ? ('eq' as const) : ('in' as const),
  values,
});
const questions = [
  [],
  [filter('type', 'purchase')],
  [filter('type', 'refund')],
  [filter('type', 'chargeback')],
  [filter('status', 'succeeded')],
  [filter('status', 'refunded', 'partially_refunded')],
  [filter('status', 'succeeded', 'refunded')],
  [filter('status', 'failed')],
  [filter('currency', 'JPY')],
  [filter('amount', '5')],
  [filter('isDisputed', 'true')],
  [filter('type', 'refund', 'chargeback'), filter('currency', 'EUR')],
];

/** Each question through the copy and of the payments alone. */
async function compare(): Promise<void> {
  const { database, client } = world;
  const readTotals = () =>
    Promise.all(questions.map((filters) => readPaymentTotals(database, client.id, filters)));
  expect(await findProjected(database, { filters: [] })).toBeDefined();
  const copied = await readTotals();
  await database.write(setComplete, [false]);
  const direct = await readTotals();
  await database.write(setComplete, [true]);
  questions.forEach((filters, at) => {
    expect(copied[at], JSON.stringify(filters)).toEqual(direct[at]);
  });
  expect(await wrongDays()).toBe(0);
}

const key = 'day, currency, type, status, parent_status';
const oneDay = `client_id = $1 and (${key}) = (select ${key} from payment_day_sums
  where client_id = $1 and type = 'purchase' order by ${key} limit 1)`;

/** How many violations of a rule the audit finds; of L3 unless another is named. */
async function wrongDays(rule = 'L3'): Promise<number | undefined> {
  const { results } = await runAudit({ url: world.url });
  return results.find((one) => one.rule === rule)?.violations;
}

it('are exact with refunds, chargebacks and fees, before and after what changed is copied', async () => {
  await everyState(world);
  const bought = await aBought(world);
  const [euro, yen] = [await aPurchase(world), await aPurchase(world, { currency: 'JPY' })];
  await aRefund(world, euro, 5);
  await copyEveryPayment(world);
  await compare();
  // The rest of a copied purchase, whose first refund does not change; a chargeback, whose purchase does not.
  await aRefund(world, euro, 14.9);
  await deliverDisputeEvents(world, await dispute(world, bought.intent));
  await aRefund(world, yen, 100);
  await aRefund(world, await aPurchase(world), 5);
  await compare();
  await copyEveryPayment(world);
  await compare();
}, 60_000);

it('are compared with the copies by the audit, L3: any sum of a day, and a day that is missing', async () => {
  await copyEveryPayment(world);
  const change = (text: string) =>
    plantInDatabase(world.ownerUrl, (plant) => plant(`${text} where ${oneDay}`, [world.client.id]));
  for (const column of [
    ...['payments', 'amount_minor', 'captured_minor', 'refunded_minor', 'charged_back_minor'],
    ...['fee_minor', 'without_fee'],
  ]) {
    await change(`update payment_day_sums set ${column} = ${column} + 1`);
    expect(await wrongDays(), column).toBe(1);
    await change(`update payment_day_sums set ${column} = ${column} - 1`);
  }
  await change('delete from payment_day_sums');
  expect(await wrongDays()).toBe(1);
}, 60_000);

it('of reports are compared by the audit, L4: each kept sum; L5: a movement that is copied otherwise', async () => {
  await copyEveryPayment(world);
  const change = (text: string) => plantInDatabase(world.ownerUrl, (plant) => plant(text));
  expect([await wrongDays('L4'), await wrongDays('L5')]).toEqual([0, 0]);
  for (const { name, sums } of keptTables) {
    for (const sum of [sums[0], sums.at(-1)]) {
      await change(`update ${name} set ${sum} = ${sum} + 1`);
      expect(await wrongDays('L4'), `${name} ${sum}`).toBeGreaterThan(0);
      await change(`update ${name} set ${sum} = ${sum} - 1`);
    }
  }
  expect(await wrongDays('L4')).toBe(0);
  await change('update payment_movements set change_minor = change_minor + 1');
  expect(await wrongDays('L5')).toBeGreaterThan(0);
}, 60_000);
