// The file of payments adds up: to the months of the ledger, and to the totals of the list.

import type { MonthReport } from '@svc/contract/reports/reports';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { callAs } from '../../../test/harness.ts';
import { aPurchase, deliverDisputeEvents, dispute, step } from '../../../test/payments/disputes.ts';
import { failRefund } from '../../../test/payments/failed-refunds.ts';
import { deliverNotice, providerEvents, readAllNotices } from '../../../test/payments/notices.ts';
import { addUpFile, readPaymentFile } from '../../../test/payments/payment-file.ts';
import { aRefund } from '../../../test/payments/planted.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import { aSession, pay, startWorld, type World } from '../../../test/world.ts';
import { readAskingTime } from '../../storage/database/clock.ts';

let world: World;
let server: TestServer;
beforeAll(async () => {
  world = await startWorld();
  server = await aServer(world.ports);
});
afterAll(async () => {
  await server?.close();
  await world?.close();
});

const get = async (path: string) => {
  const answer = await callAs(server.app, world.token, `GET /v1/${path}` as 'GET /');
  expect(answer.statusCode, answer.body).toBe(200);
  return answer;
};
async function takeCaptureBack(intent: string): Promise<void> {
  await world.control('POST', `/_control/intents/${intent}/take_back`);
  for (const event of await providerEvents(world, intent)) await deliverNotice(world, event);
  await readAllNotices(world);
}

const readFile = () => readPaymentFile({ world, server });
type Sums = readonly { currency: string; fee: number; net: number }[];

/** Expects the file's fees and nets to add up to these sums, each currency. */
async function expectSums(sums: Sums): Promise<void> {
  const rows = await readFile();
  for (const column of ['fee', 'net'] as const) {
    const wanted = sums.map((sum) => [sum.currency, Math.round(sum[column] * 100)]);
    expect(addUpFile(rows, column), column).toEqual(Object.fromEntries(wanted));
  }
}
async function readMonth(): Promise<Sums> {
  const month = (await readAskingTime(world.database)).toISOString().slice(0, 7);
  const report: MonthReport = (await get(`reports/months/${month}`)).json();
  return report.currencies.map(({ currency, fees, net }) => ({ currency, fee: fees, net }));
}

it('with a refund that failed and a dispute that was won', async () => {
  const kept = await aPurchase(world);
  await aRefund(world, kept.paymentId, 5);
  const failed = await aRefund(world, kept.paymentId, 3);
  await failRefund(world, failed);
  const opened = await dispute(world, (await aPurchase(world)).intent);
  await deliverDisputeEvents(world, opened);
  await step(world, opened, 'close', { outcome: 'won' });
  await deliverDisputeEvents(world, opened);
  await pay(world, await aSession(world, { captureMethod: 'automatic', currency: 'JPY' }));
  const row = (await readFile()).find(({ id }) => id === failed);
  expect(row).toMatchObject({ status: 'refund_failed', fee: '0.00', net: '0.00' });
  const months = await readMonth();
  expect(months.map(({ currency }) => currency)).toEqual(['EUR', 'JPY']);
  await expectSums(months);
  await expectSums((await get('payments/totals')).json().data);
});

it('with a capture that was taken back: what the provider keeps is left', async () => {
  const taken = await aPurchase(world);
  await takeCaptureBack(taken.intent);
  const row = (await readFile()).find(({ id }) => id === taken.paymentId);
  expect(row).toMatchObject({ status: 'failed', fee: '0.88', net: '-0.88' });
  await expectSums(await readMonth());
});
