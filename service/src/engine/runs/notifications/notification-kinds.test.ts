// The notifications of holds, renewals, refunds and decided disputes: each once, and none of what is over already.
// Additions §6, Notifications.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aSavedCard } from '../../../../test/customers/saved-cards.ts';
import {
  aClub,
  advanceToRenewal,
  cancelClub,
  fundWith,
  renewAll,
  subscriptionOf,
} from '../../../../test/customers/subscriptions.ts';
import {
  aPurchase,
  deliverDisputeEvents,
  dispute,
  readAll,
  step,
} from '../../../../test/payments/disputes.ts';
import { failRefund } from '../../../../test/payments/failed-refunds.ts';
import { advance, aRefund } from '../../../../test/payments/planted.ts';
import { mailsTo } from '../../../../test/people/accounts.ts';
import { type Colleague, type Office, openOffice } from '../../../../test/people/office.ts';
import { aHold, moveHold } from '../../../../test/world.ts';
import { listLostNotices } from '../notices/list-lost-notices.ts';
import { expireHolds } from '../payments/expire-holds.ts';
import { notifyPeople } from './notify-people.ts';

const hour = 3600;
const day = 24 * hour;

let office: Office;
let owner: Colleague;
let quiet: Colleague;
beforeAll(async () => {
  office = await openOffice();
  owner = await office.join('owner');
  quiet = await office.join('owner');
  const kinds = [
    ...['hold_expiring', 'dispute_decided', 'refund_failed', 'renewal_failed'],
    ...['fraud_warning', 'review_opened'],
  ];
  const path = `PUT /v1/account/notifications?clientId=${office.world.client.id}`;
  for (const [person, choice] of [
    [owner, 'mail'],
    [quiet, 'off'],
  ] as const) {
    const choices = kinds.map((kind) => ({ kind, choice }));
    expect((await office.as(person, path, { body: { choices } })).status).toBe(200);
  }
});
afterAll(() => office?.close());

const onError = (_: unknown, error: unknown) => {
  throw error;
};

/** The owner's mails of the kind, after all of the passes that have something to do. */
async function mailsOf(kind: string) {
  while ((await notifyPeople(office.world.ports, { onError })) > 0);
  const own = (person: Colleague) => mailsTo(office.world.ports, person.email);
  const isOfKind = (mail: { kind: string }) => mail.kind === `notification_${kind}`;
  expect((await own(quiet)).filter(isOfKind)).toEqual([]);
  return (await own(owner)).filter(isOfKind).map(({ subject, text }) => ({ subject, text }));
}

const linesOf = ({ text }: { text: string }) => text.match(/^- .*$/gm);

describe('notifyPeople', () => {
  it('a dispute: once it is decided, with how', async () => {
    const { intent } = await aPurchase(office.world);
    const opened = await dispute(office.world, intent);
    await deliverDisputeEvents(office.world, opened);
    expect(await mailsOf('dispute_decided')).toEqual([]);
    await step(office.world, opened, 'close', { outcome: 'won' });
    await deliverDisputeEvents(office.world, opened);
    const [told, ...others] = await mailsOf('dispute_decided');
    expect(others).toEqual([]);
    expect(told?.subject).toBe('[Sandbox] A dispute was decided: A shop');
    expect(told && linesOf(told)).toEqual(['- 19.90 EUR: won']);
    expect(await mailsOf('dispute_decided')).toHaveLength(1);
  });

  it('a warning of fraud and a review: each once, and not of what was refunded or disputed meanwhile', async () => {
    const { world } = office;
    const [warned, refunded, disputed] = [
      ...[await aPurchase(world), await aPurchase(world), await aPurchase(world)],
    ] as const;
    for (const { intent } of [warned, refunded, disputed]) {
      await world.control('POST', '/_control/fraud-warnings', { intent, fraudType: 'misc' });
    }
    await world.control('POST', '/_control/reviews', { intent: warned.intent });
    await listLostNotices(world.ports, { onError });
    await readAll(world);
    // After all three were written down, and before anybody was told.
    await aRefund(world, refunded.paymentId);
    await deliverDisputeEvents(world, await dispute(world, disputed.intent));
    const [told, ...others] = await mailsOf('fraud_warning');
    expect(others).toEqual([]);
    expect(told?.subject).toBe('[Sandbox] A bank reports a payment as fraud: A shop');
    expect(told && linesOf(told)).toEqual([
      '- 19.90 EUR: misc. Refund it before it becomes a dispute',
    ]);
    expect(told?.text).toContain('/payments?fraudSignal=warning');
    const reviews = await mailsOf('review_opened');
    expect(reviews.map(linesOf)).toEqual([[expect.stringMatching(/^- 19.90 EUR: approve or/)]]);
  });

  it('a refund: once it has failed, and none that succeeds', async () => {
    const { world } = office;
    const paymentId = await office.purchase();
    const made = await office.refund(owner, paymentId, 7);
    expect(made.status).toBe(201);
    expect((await office.refund(owner, paymentId, 3)).status).toBe(201);
    expect(await mailsOf('refund_failed')).toEqual([]);
    await failRefund(world, made.body.id);
    const [told, ...others] = await mailsOf('refund_failed');
    expect(others).toEqual([]);
    expect(told?.subject).toBe('[Sandbox] A refund failed: A shop');
    expect(told && linesOf(told)).toEqual(['- 7.00 EUR: the buyer was not paid']);
  });

  it('holds: a day before they expire, and not those that were captured meanwhile', async () => {
    const { world } = office;
    const held = await aHold(world);
    const captured = await aHold(world);
    const pass = () => expireHolds(world.ports, { limit: 20, onError });
    await advance(world, 5 * day);
    await pass();
    expect(await mailsOf('hold_expiring')).toEqual([]);
    await advance(world, day + hour);
    await pass();
    // After it was written down that both expire, and before anybody was told.
    await moveHold(world, 'capturePayment', { paymentId: captured.paymentId, key: 'in-time' });
    const [told, ...others] = await mailsOf('hold_expiring');
    expect(others).toEqual([]);
    expect(told?.subject).toBe('[Sandbox] A hold expires within 24 hours: A shop');
    expect(told && linesOf(told)).toEqual([
      expect.stringMatching(/^- 19\.90 EUR: capture or release it before .* \(UTC\)$/),
    ]);
    await pass();
    expect(await mailsOf('hold_expiring')).toHaveLength(1);
    await moveHold(world, 'cancelPayment', { paymentId: held.paymentId, key: 'let-go' });
  });

  it('renewals: once a subscription has ended of them, and not when somebody cancelled it', async () => {
    const { world } = office;
    const [failing, left] = [await aClub(world), await aClub(world)];
    await cancelClub(world, left.id);
    const number = '4000000000000341';
    const { userId } = failing;
    await fundWith(world, failing.id, (await aSavedCard(world, { userId, number })).id);
    for (let tries = 0; tries < 5; tries++) {
      expect(await mailsOf('renewal_failed')).toEqual([]);
      await advanceToRenewal(world, failing.id);
      await renewAll(world);
    }
    expect((await subscriptionOf(world, failing.id)).status).toBe('canceled');
    const [told, ...others] = await mailsOf('renewal_failed');
    expect(others).toEqual([]);
    expect(told?.subject).toBe('[Sandbox] A renewal failed for good: A shop');
    expect(told && linesOf(told)).toEqual([
      expect.stringMatching(/^- .*, 24\.00 EUR: it has ended$/),
    ]);
  });

  it('nothing of more than two days ago, as after a long stop', async () => {
    const before = await mailsOf('dispute_decided');
    const { intent } = await aPurchase(office.world);
    const opened = await dispute(office.world, intent);
    await deliverDisputeEvents(office.world, opened);
    await step(office.world, opened, 'close', { outcome: 'lost' });
    await deliverDisputeEvents(office.world, opened);
    await advance(office.world, 2 * day + hour);
    expect(await mailsOf('dispute_decided')).toEqual(before);
  });
});
