// What happens to a merchant's money, act by act, for tests over random histories.

import { randomUUID } from 'node:crypto';
import { Refusal } from '../../src/domain/protocol/refusal.ts';
import { copyPayments } from '../../src/engine/runs/payments/copy-payments.ts';
import { openGateway } from '../../src/engine/steps/gateways/open-gateway.ts';
import { applyReading } from '../../src/engine/steps/notices/apply-reading.ts';
import { readAskingTime } from '../../src/storage/database/clock.ts';
import { findPayment } from '../../src/storage/payments/payments.ts';
import { callAs } from '../harness.ts';
import type { TestServer } from '../server.ts';
import { aSession, cards, moveHold, pay, type World } from '../world.ts';
import { deliverDisputeEvents, dispute, step } from './disputes.ts';
import { failRefund } from './failed-refunds.ts';
import { deliverNotice, providerEvents, readAllNotices } from './notices.ts';
import { advance, aRefund } from './planted.ts';

export const currencies = ['EUR', 'JPY', 'KWD'] as const;
const dayMs = 86_400_000;

type Fixture = { readonly world: World; readonly server: TestServer; readonly startedAt: Date };

/** Months of the calendar from the first to the last day, and the one after. */
export function monthsBetween(from: Date, to: Date): string[] {
  const found: string[] = [];
  for (let at = new Date(from); ; at = new Date(at.getTime() + 20 * dayMs)) {
    const month = at.toISOString().slice(0, 7);
    if (found.at(-1) !== month) found.push(month);
    if (at.getTime() > to.getTime() + dayMs) return found;
  }
}

/** Reads a payment at the provider again and applies the result. */
export async function readAtProviderAgain(world: World, paymentId: string): Promise<void> {
  const payment = await findPayment(world.database, world.client.id, paymentId);
  if (!payment) throw new Error('no payment');
  const gateway = await openGateway(world.ports, payment.clientId, payment.gatewayId);
  const read = await world.ports.provider(gateway).retrieve(payment.providerIntentId ?? '');
  if (read.kind !== 'found') throw new Error('not read');
  await applyReading(payment, read.payment, world.ports);
}

export const acts = [
  ...(['sell', 'sell', 'hold', 'capture', 'release', 'decline', 'refund', 'refundWhole'] as const),
  ...(['failRefund', 'dispute', 'win', 'lose', 'takeBack'] as const),
  ...(['sellLate', 'hours', 'days', 'days', 'close', 'copy', 'compare'] as const),
];
export type Act = (typeof acts)[number];

/** Undefined where the service refuses: a hold has expired, or nothing is left to refund. */
const unlessRefused = <T>(moved: Promise<T>): Promise<T | undefined> =>
  moved.catch((error: unknown) => {
    if (error instanceof Refusal) return undefined;
    throw error;
  });

/** Closes every month that is over. */
async function closeMonths({ world, server, startedAt }: Fixture): Promise<void> {
  for (const month of monthsBetween(startedAt, await readAskingTime(world.database))) {
    const call = `POST /v1/reports/months/${month}/close` as const;
    const answer = await callAs(server.app, world.token, call);
    if (answer.statusCode === 200) continue;
    const { code } = answer.json();
    if (code === 'month_not_over') return;
    if (code !== 'month_closed') throw new Error(`${call}: ${answer.body}`);
  }
}

/**
 * One history of a merchant. An act whose payment is missing does nothing. `compare` is told whether the provider has
 * booked everything.
 */
export function startHistory(fixture: Fixture, compare: (isBooked: boolean) => Promise<void>) {
  const { world } = fixture;
  const sold: string[] = [];
  const held: string[] = [];
  const refunds: string[] = [];
  const disputes: string[] = [];
  const unbooked: string[] = [];
  let turn = 0;
  const buy = async (captureMethod: 'automatic' | 'manual', number?: string): Promise<string> => {
    const currency = currencies[turn++ % currencies.length] ?? 'EUR';
    const session = await aSession(world, { product: 'pot', captureMethod, currency });
    return ((await pay(world, session, number)) as { body: { paymentId: string } }).body.paymentId;
  };
  const intentOf = async (id: string) =>
    (await findPayment(world.database, world.client.id, id))?.providerIntentId ?? '';
  const end = async (outcome: 'won' | 'lost') => {
    const opened = disputes.shift();
    if (!opened) return;
    await step(world, opened, 'close', { outcome });
    await deliverDisputeEvents(world, opened);
  };
  const move = async (kind: 'capturePayment' | 'cancelPayment') => {
    const paymentId = held.shift();
    if (!paymentId) return;
    const moved = await unlessRefused(moveHold(world, kind, { paymentId, key: randomUUID() }));
    if (moved && kind === 'capturePayment') sold.push(paymentId);
  };
  const play: Readonly<Record<Act, () => Promise<void>>> = {
    sell: async () => void sold.push(await buy('automatic')),
    hold: async () => void held.push(await buy('manual')),
    capture: () => move('capturePayment'),
    release: () => move('cancelPayment'),
    decline: async () => void (await unlessRefused(buy('automatic', cards.poor))),
    async refund() {
      const id = sold.at(-1);
      const refund = id && (await unlessRefused(aRefund(world, id, 2)));
      if (refund) refunds.push(refund);
    },
    async refundWhole() {
      const id = sold.shift();
      const refund = id && (await unlessRefused(aRefund(world, id)));
      if (refund) refunds.push(refund);
    },
    async failRefund() {
      const id = refunds.pop();
      if (id) await failRefund(world, id);
    },
    async dispute() {
      const id = sold.shift();
      if (!id) return;
      const opened = await dispute(world, await intentOf(id));
      await deliverDisputeEvents(world, opened);
      disputes.push(opened);
    },
    win: () => end('won'),
    lose: () => end('lost'),
    async takeBack() {
      const intent = await intentOf(await buy('automatic'));
      await world.control('POST', `/_control/intents/${intent}/take_back`);
      for (const event of await providerEvents(world, intent)) await deliverNotice(world, event);
      await readAllNotices(world);
    },
    hours: () => advance(world, 7 * 3600 + 1234),
    days: () => advance(world, 9 * 86_400 + 12_345),
    // Its booking comes when it is compared, on the day of the sale: the month may be closed by then.
    async sellLate() {
      await world.fault({ path: '/v1/' }, 'late_balance', { count: 1000 });
      unbooked.push(await buy('automatic'));
      await world.control('DELETE', '/_control/faults');
    },
    close: () => closeMonths(fixture),
    copy: async () => void (await copyPayments(world, { step: 3 })),
    async compare() {
      if (unbooked.length > 0) await compare(false);
      for (const id of unbooked.splice(0)) await readAtProviderAgain(world, id);
      await compare(true);
    },
  };
  return play;
}
