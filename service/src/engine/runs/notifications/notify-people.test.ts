// Tests of mails to a merchant's people: who gets which mail, one mail of a kind per hour, and none
// that the person has switched off. Additions §6, Notifications.

import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { moveClock, newId } from '../../../../test/harness.ts';
import {
  aPurchase,
  deliverDisputeEvents,
  dispute,
  disputeOf,
} from '../../../../test/payments/disputes.ts';
import { mailsTo } from '../../../../test/people/accounts.ts';
import { join } from '../../../../test/people/members.ts';
import { type Colleague, type Office, openOffice } from '../../../../test/people/office.ts';
import { readAskingTime, readClock } from '../../../storage/database/clock.ts';
import { everyClient } from '../../../storage/database/database.ts';
import { sql } from '../../../storage/database/sql.ts';
import { claimMails, finishMail } from '../../../storage/mails/mails.ts';
import { insertReconciliation } from '../../../storage/reports/reconciliations.ts';
import { notifyPeople } from './notify-people.ts';
import { sendDigests } from './send-digests.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

let office: Office;
let people: Readonly<Record<'finance' | 'member' | 'support' | 'viewer', Colleague>>;
beforeAll(async () => {
  office = await openOffice();
  people = {
    finance: await office.join('finance'),
    member: await office.join('member'),
    support: await office.join('support'),
    viewer: await office.join('viewer'),
  };
});
afterAll(() => office?.close());

const database = () => office.world.database;
const advance = (ms: number) => moveClock(database(), ms);

const onError = (_: unknown, error: unknown) => {
  throw error;
};
async function notify(): Promise<void> {
  while ((await notifyPeople(office.world.ports, { onError })) > 0);
}

/** The notifications that were mailed to the person, the latest last. */
async function notificationsTo(person: Pick<Colleague, 'email'>) {
  const mails = await mailsTo(office.world.ports, person.email);
  return mails.filter(({ kind }) => kind.startsWith('notification'));
}
const lastNotificationTo = async (person: Pick<Colleague, 'email'>) =>
  (await notificationsTo(person)).at(-1);
const subjectsOfNotificationsTo = async (person: Pick<Colleague, 'email'>) =>
  (await notificationsTo(person)).map(({ subject }) => subject);

/** Sends the due mails. */
async function sendMails(): Promise<string[]> {
  const kinds: string[] = [];
  for (;;) {
    const claimed = await claimMails(database(), 10);
    if (claimed.length === 0) return kinds;
    for (const mail of claimed) {
      kinds.push(mail.kind);
      await finishMail(database(), mail, { state: 'sent', error: null });
    }
  }
}

async function aDispute(): Promise<string> {
  const { paymentId, intent } = await aPurchase(office.world);
  await deliverDisputeEvents(office.world, await dispute(office.world, intent));
  return paymentId;
}

const insertEndpoint = sql(
  'test_notification_endpoint',
  `insert into webhook_endpoints (id, client_id, url, secret_sealed, api_version, failing_since,
     created_at, updated_at)
   select $1, $2, $3, $4, '2026-01-01', now, now, now from (select svc_clock() as now) as clock`,
);
const setFailing = sql(
  'test_notification_failing',
  `update webhook_endpoints set is_enabled = $2, disabled_reason = $3,
     failing_since = case when $4::boolean then svc_clock() end where id = $1`,
);
async function aFailingEndpoint(url: string): Promise<string> {
  const id = newId();
  await database().write(insertEndpoint, [id, office.world.client.id, url, randomBytes(40)]);
  return id;
}

const path = () => `/v1/account/notifications?clientId=${office.world.client.id}`;
const choose = (person: Colleague, kind: string, choice: string) =>
  office.as(person, `PUT ${path()}`, { body: { choices: [{ kind, choice }] } });

describe('notifyPeople', () => {
  it('a dispute: mailed to finance, and to who chose it, not to the viewer; a second one is in the same mail', async () => {
    const { finance, member, support, viewer } = people;
    expect((await choose(member, 'dispute_opened', 'mail')).status).toBe(200);
    await aDispute();
    await notify();
    const opened = '[Sandbox] A dispute was opened: A shop';
    expect(await subjectsOfNotificationsTo(finance)).toEqual([opened]);
    expect(await subjectsOfNotificationsTo(member)).toEqual([opened]);
    await advance(30 * minute);
    await aDispute();
    await notify();
    await notify();
    expect(await subjectsOfNotificationsTo(finance)).toEqual([
      '[Sandbox] 2 disputes were opened: A shop',
    ]);
    expect(await subjectsOfNotificationsTo(member)).toEqual([
      '[Sandbox] 2 disputes were opened: A shop',
    ]);
    expect([...(await notificationsTo(viewer)), ...(await notificationsTo(support))]).toEqual([]);
    const { text } = (await lastNotificationTo(finance)) ?? { text: '' };
    expect(text.match(/^- 19\.90 EUR: answer by .*\(UTC\)$/gm)).toHaveLength(2);
    const base = `http://localhost:4000/dashboard/${office.world.client.id}`;
    expect(text).toContain(`${base}/disputes\n`);
    expect(text).toContain(`${base}/settings/notifications`);
    expect(text).toContain('choose Off beside “A dispute is opened”');
    expect(text).not.toMatch(/buyer|@/);
  });

  it('a mail that has left is followed by one more when the hour is over, with all that came meanwhile', async () => {
    const { finance } = people;
    expect(await sendMails()).toContain('notification_dispute_opened');
    await advance(10 * minute);
    await aDispute();
    await notify();
    await aDispute();
    await notify();
    expect((await notificationsTo(finance)).map(({ state }) => state)).toEqual(['sent']);
    await advance(21 * minute);
    await notify();
    expect((await lastNotificationTo(finance))?.subject).toBe(
      '[Sandbox] 2 disputes were opened: A shop',
    );
    // The mail waits a few minutes for further notifications.
    expect(await sendMails()).toEqual([]);
    await advance(5 * minute);
    expect(await sendMails()).toContain('notification_dispute_opened');
  });

  it('each person hears of each fact once, from however many processes', async () => {
    const { finance } = people;
    const before = (await notificationsTo(finance)).length;
    await advance(2 * hour);
    await aDispute();
    await Promise.all(
      Array.from({ length: 4 }, () => notifyPeople(office.world.ports, { onError })),
    );
    await notify();
    const after = await notificationsTo(finance);
    expect(after.length).toBe(before + 1);
    expect(after.at(-1)?.subject).toBe('[Sandbox] A dispute was opened: A shop');
  });

  it('nobody hears of what happened two days ago, as after a long stop', async () => {
    const { finance } = people;
    const listOpened = async () =>
      (await notificationsTo(finance)).filter(({ kind }) => kind === 'notification_dispute_opened');
    const before = (await listOpened()).length;
    await aDispute();
    await advance(2 * day);
    await notify();
    expect((await listOpened()).length).toBe(before);
    await aDispute();
    await advance(2 * day - minute);
    await notify();
    const told = await listOpened();
    expect(told.length).toBe(before + 1);
    expect(told.at(-1)?.subject).toBe('[Sandbox] A dispute was opened: A shop');
  });

  it('the time to answer: three days and one day before its end, and not once it was decided', async () => {
    const { finance } = people;
    const paymentId = await aDispute();
    await notify();
    const due = new Date((await disputeOf(office.world, paymentId)).evidenceDueBy ?? 0);
    const moveClockBefore = async (ms: number) =>
      advance(due.getTime() - ms - (await readAskingTime(database())).getTime());
    const listKinds = async () =>
      (await notificationsTo(finance)).filter(({ kind }) => kind === 'notification_dispute_due')
        .length;
    await moveClockBefore(3 * day + hour);
    await notify();
    const before = await listKinds();
    await moveClockBefore(3 * day - minute);
    await notify();
    await notify();
    expect(await listKinds()).toBe(before + 1);
    expect((await lastNotificationTo(finance))?.text).toContain('answer by');
    await moveClockBefore(day - minute);
    await notify();
    expect(await listKinds()).toBe(before + 2);
  });

  it('an endpoint that fails: after 1 hour, after 24 hours, disabled, recovered; not to finance, nor the viewer', async () => {
    const { member, finance, viewer } = people;
    const others = [
      (await notificationsTo(finance)).length,
      (await notificationsTo(viewer)).length,
    ];
    const id = await aFailingEndpoint('https://hooks.example/in');
    await notify();
    const subjects = async () =>
      (await notificationsTo(member))
        .filter(({ kind }) => kind === 'notification_endpoint_failing')
        .map(({ subject }) => subject);
    expect(await subjects()).toEqual([]);
    await advance(hour + minute);
    await notify();
    await notify();
    expect(await subjects()).toEqual(['[Sandbox] Webhooks have not arrived for 1 hour: A shop']);
    expect((await lastNotificationTo(member))?.text).toContain('https://hooks.example/in');
    await database().write(setFailing, [id, true, null, false]);
    await notify();
    expect(await subjects()).toEqual(['[Sandbox] 2 news of webhook endpoints: A shop']);
    expect((await lastNotificationTo(member))?.text).toContain(
      '- A webhook endpoint has recovered: https',
    );
    await advance(2 * hour);
    await database().write(setFailing, [id, true, null, true]);
    await advance(24 * hour + minute);
    await notify();
    expect((await subjects()).at(-1)).toBe(
      '[Sandbox] Webhooks have not arrived for 24 hours: A shop',
    );
    await advance(2 * hour);
    await database().write(setFailing, [id, false, 'merchant', true]);
    await notify();
    expect((await subjects()).length).toBe(2);
    await database().write(setFailing, [id, false, 'gone', true]);
    await notify();
    expect((await subjects()).at(-1)).toMatch(/A webhook endpoint was disabled/);
    expect([
      (await notificationsTo(finance)).length,
      (await notificationsTo(viewer)).length,
    ]).toEqual(others);
  });

  it('a refund to approve: told to who may approve it, not to who asks', async () => {
    const [admin, owner] = [await office.join('admin'), await office.join('owner')];
    const request = await office.request(admin, await office.purchase(), { amount: 5 });
    expect(request.status).toBe(201);
    await notify();
    expect(await subjectsOfNotificationsTo(owner)).toContain(
      '[Sandbox] A refund waits for approval: A shop',
    );
    expect(await subjectsOfNotificationsTo(admin)).not.toContain(
      '[Sandbox] A refund waits for approval: A shop',
    );
    const listApprovals = async (person: Colleague) =>
      (await notificationsTo(person)).filter(
        ({ kind }) => kind === 'notification_refund_to_approve',
      ).length;
    expect(await listApprovals(people.finance)).toBe(0);
    expect(await listApprovals(people.viewer)).toBe(0);
  });

  it('a difference with the provider: told once to finance, however often it is found', async () => {
    const finance = await office.join('finance');
    const paymentId = await office.purchase();
    const found = { clientId: office.world.client.id, paymentId, kind: 'missing' };
    const difference = { ...found, isSettled: false, description: 'we say …' };
    const run = () =>
      database().transaction(everyClient, async (tx) => {
        const beganAt = await readClock(tx);
        await insertReconciliation(tx, { id: newId(), beganAt, isWhole: true }, [
          difference,
          { ...difference, kind: 'refunds', isSettled: true },
        ]);
      });
    await run();
    await notify();
    const subject = '[Sandbox] A payment differs from the provider’s records: A shop';
    expect(await subjectsOfNotificationsTo(finance)).toEqual([subject]);
    expect((await lastNotificationTo(finance))?.text).toContain('- 19.90 EUR: Reports shows');
    await run();
    await advance(2 * hour);
    await notify();
    expect(await subjectsOfNotificationsTo(finance)).toEqual([subject]);
  });

  it('a role that is taken away, and a membership that ended, take the queued mails with them', async () => {
    const leaving = await office.join('finance');
    const demoted = await office.join('member');
    await advance(2 * hour);
    await aFailingEndpoint('https://other.example/in');
    await aDispute();
    await advance(hour + minute);
    await notify();
    expect(await subjectsOfNotificationsTo(leaving)).toHaveLength(1);
    expect((await lastNotificationTo(demoted))?.kind).toBe('notification_endpoint_failing');
    await join(database(), office.world.client, { person: demoted, role: 'viewer' });
    await database().write(leave, [leaving.id]);
    await aDispute();
    await advance(2 * hour);
    await notify();
    for (const person of [leaving, demoted]) {
      expect((await notificationsTo(person)).map(({ state }) => state)).toEqual(['given_up']);
    }
  });

  it('what a person switched off, or reads in the digest, is no mail of its own', async () => {
    const [quiet, daily] = [await office.join('finance'), await office.join('finance')];
    await choose(quiet, 'dispute_opened', 'off');
    await choose(quiet, 'daily_digest', 'off');
    await choose(daily, 'dispute_opened', 'daily');
    await aDispute();
    await notify();
    expect([...(await notificationsTo(quiet)), ...(await notificationsTo(daily))]).toEqual([]);
    // Moves the clock to the next morning in UTC, the merchant's time zone.
    const now = await readAskingTime(database());
    const morning = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1, 7);
    await advance(morning - minute - now.getTime());
    await sendDigests(office.world.ports, { onError });
    expect(await notificationsTo(daily)).toEqual([]);
    await advance(2 * minute);
    await Promise.all([1, 2].map(() => sendDigests(office.world.ports, { onError })));
    await sendDigests(office.world.ports, { onError });
    expect(await subjectsOfNotificationsTo(daily)).toEqual(['[Sandbox] Daily digest: A shop']);
    const { text } = (await lastNotificationTo(daily)) ?? { text: '' };
    expect(text).toContain('A dispute was opened:\n- 19.90 EUR');
    expect(await notificationsTo(quiet)).toEqual([]);
  });
});

const leave = sql('test_notification_leave', 'delete from memberships where user_id = $1');
