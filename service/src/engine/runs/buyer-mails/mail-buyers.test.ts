// Mails to buyers that go by themselves, once a merchant has switched them on. Additions §2, Mails to buyers.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aSavedCard } from '../../../../test/customers/saved-cards.ts';
import {
  aClub,
  advanceToRenewal,
  endAll,
  fundWith,
  renewAll,
} from '../../../../test/customers/subscriptions.ts';
import { moveClock } from '../../../../test/harness.ts';
import {
  deliverNotice,
  providerEvents,
  readAllNotices,
} from '../../../../test/payments/notices.ts';
import { mailsTo } from '../../../../test/people/accounts.ts';
import { type Colleague, type Office, openOffice } from '../../../../test/people/office.ts';
import { aServer } from '../../../../test/server.ts';
import { buyerEmail } from '../../../../test/world.ts';
import { readAskingTime } from '../../../storage/database/clock.ts';
import { sql } from '../../../storage/database/sql.ts';
import { claimMails } from '../../../storage/mails/mails.ts';
import { findPayment } from '../../../storage/payments/payments.ts';
import { sendDueMails } from '../mails/send-due-mails.ts';
import { mailBuyers } from './mail-buyers.ts';

let office: Office;
let owner: Colleague;
beforeAll(async () => {
  office = await openOffice();
  owner = await office.join('owner');
});
afterAll(() => office?.close());

const hour = 3_600_000;
const database = () => office.world.database;

const onError = (_: unknown, error: unknown) => {
  throw error;
};
async function mail(): Promise<void> {
  while ((await mailBuyers(office.world.ports, { onError })) > 0);
}
const switchMails = (mails: object) =>
  office.as(owner, 'PATCH /v1/client', { body: { buyerMails: mails } });

const countMails = sql<{ count: number }>(
  'test_buyer_mails',
  `select count(*)::int as count from mails where kind like 'buyer%' and state = 'waiting'`,
);
/** Returns the waiting mails to the one buyer of these tests; no other address gets any. */
async function mails() {
  const waiting = (await mailsTo(office.world.ports, buyerEmail)).filter(
    ({ kind, state }) => kind.startsWith('buyer') && state === 'waiting',
  );
  expect(await database().read(countMails, [])).toEqual([{ count: waiting.length }]);
  return waiting;
}
const newSince = async (before: number) => (await mails()).slice(before);

const paymentOf = async (id: string) => {
  const payment = await findPayment(database(), office.world.client.id, id);
  if (!payment) throw new Error('no payment');
  return payment;
};

const findMethod = sql<{ expiry_month: number; expiry_year: number }>(
  'test_buyer_card',
  'select expiry_month, expiry_year from payment_methods where id = $1',
);
const linkToPage = () => new RegExp(`/m/${office.world.client.id}#[\\w-]{43}$`, 'm');

describe('mailBuyers', () => {
  it('mails nobody until a mail is switched on, and nothing of what was before', async () => {
    const client = await office.as(owner, 'GET /v1/client');
    const off = { receipt: false, refund: false, refundFailed: false };
    expect(client.body.buyerMails).toEqual({
      ...{ ...off, renewalFailed: false, cardExpires: false, subscriptionEnds: false },
    });
    await office.purchase();
    await mail();
    expect((await switchMails({ receipt: true })).body.buyerMails).toMatchObject({ receipt: true });
    await mail();
    expect(await mails()).toEqual([]);
  });

  it('the receipt: once for each payment, to its address, with the number of the receipt', async () => {
    const paymentId = await office.purchase();
    await Promise.all([1, 2, 3].map(() => mailBuyers(office.world.ports, { onError })));
    await mail();
    const { email } = await paymentOf(paymentId);
    const [receipt, ...others] = await mails();
    expect(others).toEqual([]);
    expect([receipt?.kind, email]).toEqual(['buyer_receipt', buyerEmail]);
    const asked = await office.as(owner, `GET /v1/payments/${paymentId}/receipt`);
    expect(receipt?.subject).toBe(`[Sandbox] Receipt ${asked.body.number} from A shop`);
    expect(receipt?.text).toContain(asked.body.url);
    const timeline = await office.as(owner, `GET /v1/payments/${paymentId}/timeline`);
    const told = timeline.body.data.filter(({ kind }: { kind: string }) => kind === 'mail');
    expect(told).toMatchObject([{ actor: { kind: 'system' } }]);
    expect(told[0].text).toMatch(/^The service mailed the receipt to /);
  });

  it('a refund since the mail was switched on: once, also where the one who refunds asked for the mail', async () => {
    const [first, second] = [await office.purchase(), await office.purchase()];
    await mail();
    const before = (await mails()).length;
    await office.refund(owner, first, 5);
    await mail();
    expect(await newSince(before)).toEqual([]);
    // No pass follows this refund before the mail is switched on.
    await office.refund(owner, first, 4);
    await switchMails({ refund: true });
    await office.refund(owner, second, 5);
    await office.as(owner, `POST /v1/payments/${second}/refunds`, {
      body: { amount: 6, notifyBuyer: true },
      key: 'asked-for',
    });
    await mail();
    await mail();
    const told = await newSince(before);
    expect(told.map(({ kind }) => kind)).toEqual(['buyer_refund', 'buyer_refund']);
    expect(told.map(({ text }) => /^(\S+ EUR) is on its way/m.exec(text)?.[1]).sort()).toEqual([
      '5.00 EUR',
      '6.00 EUR',
    ]);
  });

  it('a refund that fails later: asks the buyer to get in touch', async () => {
    await switchMails({ refundFailed: true, refund: false });
    const paymentId = await office.purchase();
    const made = await office.refund(owner, paymentId, 7);
    await mail();
    const before = (await mails()).length;
    const { providerRefundId } = await paymentOf(made.body.id);
    await office.world.control('POST', `/_control/refunds/${providerRefundId}/fail`);
    const { providerIntentId } = await paymentOf(paymentId);
    for (const event of await providerEvents(office.world, providerIntentId ?? '')) {
      await deliverNotice(office.world, event);
    }
    await readAllNotices(office.world);
    await mail();
    await mail();
    const [told, ...others] = await newSince(before);
    expect(others).toEqual([]);
    expect(told?.kind).toBe('buyer_refund_failed');
    expect(told?.subject).toBe('[Sandbox] Your refund from A shop could not be paid out');
    expect(told?.text).toMatch(/7\.00 EUR could not be paid back[\s\S]*Please get in touch/);
  });

  it('a sandbox’s buyers get no mail, though a mail server is set: it is given up before it is due', async () => {
    const before = (await mails()).length;
    expect(before).toBeGreaterThan(0);
    const sent: string[] = [];
    const server = {
      send: async ({ to }: { to: string }) => {
        sent.push(to);
        return { kind: 'sent' } as const;
      },
    };
    const ports = { ...office.world.ports, mail: server as never };
    const listKinds = async () => (await claimMails(database(), 100)).map(({ kind }) => kind);
    await moveClock(database(), 70 * hour);
    expect((await listKinds()).filter((kind) => kind === 'buyer_receipt')).toEqual([]);
    await moveClock(database(), 3 * hour);
    await sendDueMails(ports);
    expect(sent).toEqual([]);
    expect(await mails()).toEqual([]);
  });

  it('tells nothing of three days ago, as after a long stop', async () => {
    await office.purchase();
    await moveClock(database(), 73 * hour);
    await mail();
    expect(await mails()).toEqual([]);
    await office.purchase();
    await mail();
    expect((await mails()).map(({ kind }) => kind)).toEqual(['buyer_receipt']);
  });

  it('a renewal that is declined: told once a period, with a link to the customer’s page', async () => {
    const { world } = office;
    await office.signIn(owner);
    expect((await switchMails({ receipt: false, renewalFailed: true })).status).toBe(200);
    const club = await aClub(world);
    const number = '4000000000000341';
    await fundWith(world, club.id, (await aSavedCard(world, { userId: club.userId, number })).id);
    await mail();
    const before = (await mails()).length;
    for (const _ of [1, 2]) {
      await advanceToRenewal(world, club.id);
      await renewAll(world);
      await mail();
    }
    const [told, ...others] = await newSince(before);
    expect(others).toEqual([]);
    expect(told).toMatchObject({
      kind: 'buyer_renewal_failed',
      subject: '[Sandbox] Your payment to A shop was declined',
    });
    expect(told?.text).toMatch(linkToPage());
    await endAll(world);
  });

  it('a card of a running subscription in its last month: told once, with a link', async () => {
    const club = await aClub(office.world);
    await mail();
    const before = (await mails()).length;
    await office.signIn(owner);
    expect((await switchMails({ renewalFailed: false, cardExpires: true })).status).toBe(200);
    const [card] = await database().read(findMethod, [club.methodId]);
    const { expiry_month: month, expiry_year: year } = card ?? { expiry_month: 0, expiry_year: 0 };
    const moveClockTo = async (at: number) =>
      moveClock(database(), at - (await readAskingTime(database())).getTime());
    await moveClockTo(Date.UTC(year, month - 1, 1) - 24 * hour);
    await mail();
    expect(await newSince(before)).toEqual([]);
    for (const day of [2, 3]) {
      await moveClockTo(Date.UTC(year, month - 1, day));
      await mail();
    }
    const [told, ...others] = await newSince(before);
    expect(others).toEqual([]);
    expect(told).toMatchObject({
      kind: 'buyer_card_expires',
      subject: '[Sandbox] Your card at A shop expires',
    });
    expect(told?.text).toMatch(linkToPage());
  });

  it('the end of a subscription: planned, taken back and come are each told once, with a link', async () => {
    await office.signIn(owner);
    await switchMails({ cardExpires: false, subscriptionEnds: true });
    const club = await aClub(office.world);
    await mail();
    const before = (await mails()).length;
    const act = (what: string) => office.as(owner, `POST /v1/subscriptions/${club.id}/${what}`);
    await office.as(owner, `POST /v1/subscriptions/${club.id}/cancel`, {
      body: { at: 'period_end' },
    });
    await mail();
    await act('resume');
    await mail();
    await act('cancel');
    await mail();
    await mail();
    const told = await newSince(before);
    expect(told.map(({ subject }) => subject)).toEqual([
      '[Sandbox] Your subscription at A shop is to end',
      '[Sandbox] Your subscription at A shop continues',
      '[Sandbox] Your subscription at A shop has ended',
    ]);
    // After two changes between passes, the mail names only the last one.
    const other = await aClub(office.world);
    const changedTwice = (await mails()).length;
    await office.as(owner, `POST /v1/subscriptions/${other.id}/cancel`, {
      body: { at: 'period_end' },
    });
    await office.as(owner, `POST /v1/subscriptions/${other.id}/resume`);
    await mail();
    expect((await newSince(changedTwice)).map(({ subject }) => subject)).toEqual([
      '[Sandbox] Your subscription at A shop continues',
    ]);
    for (const { kind, text } of told) {
      expect(kind).toBe('buyer_subscription_ends');
      expect(text).toMatch(linkToPage());
    }
  });

  it('a receipt leads a customer to the form, and nobody else; no mail leads there once that is switched off', async () => {
    const { world } = office;
    const linkInMails = (isOn: boolean) =>
      office.as(owner, 'PATCH /v1/client', { body: { customerPage: { linkInMails: isOn } } });
    const server = await aServer(world.ports);
    const receiptOf = async (paymentId: string) => {
      const { url } = (await office.as(owner, `GET /v1/payments/${paymentId}/receipt`)).body;
      return (await server.app.inject({ url: new URL(url).pathname })).body;
    };
    const page = `/m/${world.client.id}`;
    await switchMails({ receipt: true });
    let before = (await mails()).length;
    const stranger = await office.purchase();
    const { paymentId } = await aClub(world);
    await mail();
    const receipts = (await newSince(before)).map(({ text }) => text.includes(`${page}\n`));
    expect(receipts).toEqual([false, true]);
    expect(await receiptOf(stranger)).not.toContain(page);
    expect(await receiptOf(paymentId)).toContain(`${page}"`);
    expect((await linkInMails(false)).status).toBe(200);
    expect(await receiptOf(paymentId)).not.toContain(page);
    before = (await mails()).length;
    const { id } = await aClub(world);
    await office.as(owner, `POST /v1/subscriptions/${id}/cancel`);
    await mail();
    const told = await newSince(before);
    expect(told.map(({ kind }) => kind)).toEqual(['buyer_receipt', 'buyer_subscription_ends']);
    for (const { text } of told) expect(text).not.toContain('/m/');
    await linkInMails(true);
    await switchMails({ receipt: false, subscriptionEnds: false });
    await server.close();
  });

  it('400 invalid_request: a mail that there is not, and none at all; a member may not switch one', async () => {
    await office.signIn(owner);
    expect((await switchMails({ birthday: true })).code).toBe('invalid_request');
    expect((await switchMails({})).code).toBe('invalid_request');
    const member = await office.join('member');
    const said = await office.as(member, 'PATCH /v1/client', {
      body: { buyerMails: { receipt: true } },
    });
    expect([said.status, said.code]).toEqual([403, 'merchant_role_required']);
  });
});
