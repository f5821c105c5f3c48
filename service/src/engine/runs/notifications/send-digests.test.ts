// The digest of each morning: one a day for each person, from however many processes. Additions §6,
// Notifications.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { raceFor } from '../../../../test/held-row.ts';
import { failRefund } from '../../../../test/payments/failed-refunds.ts';
import { advance } from '../../../../test/payments/planted.ts';
import { mailsTo } from '../../../../test/people/accounts.ts';
import { type Colleague, type Office, openOffice } from '../../../../test/people/office.ts';
import { readAskingTime } from '../../../storage/database/clock.ts';
import { notifyPeople } from './notify-people.ts';
import { sendDigests } from './send-digests.ts';

let office: Office;
let finance: Colleague;
beforeAll(async () => {
  office = await openOffice();
  finance = await office.join('finance');
});
afterAll(() => office?.close());

const day = 24 * 3_600_000;
const onError = (_: unknown, error: unknown) => {
  throw error;
};
const send = () => sendDigests(office.world.ports, { onError });
const listDigests = async () =>
  (await mailsTo(office.world.ports, finance.email)).map(({ subject, text }) => [
    subject,
    /19\.90 EUR/.test(text),
  ]);

it('two processes that find the same digest due write one, with the figures of the day before', async () => {
  await office.purchase();
  const { database, url } = office.world;
  const now = await readAskingTime(database);
  // Eight in the morning of the next day in UTC, the merchant's time zone.
  const morning = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1, 8);
  await advance(office.world, (morning - now.getTime()) / 1000);
  const lock = 'select from memberships where user_id = $1 for update';
  await raceFor(url, { lock, values: [finance.id], waiting: 2 }, () => [send(), send()]);
  const digest = ['[Sandbox] Daily digest: A shop', true];
  expect(await listDigests()).toEqual([digest]);
  await advance(office.world, day / 1000);
  await send();
  // A day without payments has no digest.
  expect(await listDigests()).toEqual([digest]);
});

const minute = 60_000;
/** Moves the clock on to the next time that it is so late in UTC, the merchant's time zone. */
async function moveTo(time: string): Promise<void> {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  const now = (await readAskingTime(office.world.database)).getTime();
  const wanted = Math.floor(now / day) * day + (hours * 60 + minutes) * minute;
  await advance(office.world, Math.ceil((wanted - now + (wanted > now ? 0 : day)) / 1000));
}
async function pass(): Promise<void> {
  while ((await notifyPeople(office.world.ports, { onError })) > 0);
  await send();
}
const switchesOf = (text: string) =>
  /^To switch it off, choose Off beside (.*) in the/m.exec(text)?.[1];
/** The switches that the digests to the person name. */
const digestsTo = async ({ email }: Colleague) =>
  (await mailsTo(office.world.ports, email))
    .filter(({ kind }) => kind === 'notification_daily_digest')
    .map(({ text }) => switchesOf(text));

it('the first one waits for the next seven in the morning, and names the switches of what is in it', async () => {
  // The day before has figures, which a digest that comes too early would tell.
  await office.purchase();
  await moveTo('06:00');
  const [owner, promoted] = [await office.join('owner'), await office.join('viewer')];
  await moveTo('08:00');
  await pass();
  await moveTo('15:39');
  const people = {
    owner,
    promoted,
    finance: await office.join('finance'),
    both: await office.join('viewer'),
  };
  await office.signIn(owner);
  const role = { body: { role: 'finance' } };
  expect((await office.as(owner, `PATCH /v1/members/${promoted.id}`, role)).status).toBe(200);
  const path = `PUT /v1/account/notifications?clientId=${office.world.client.id}`;
  const kinds = ['daily_digest', 'refund_failed'];
  const choices = kinds.map((kind) => ({ kind, choice: 'daily' }));
  expect((await office.as(people.both, path, { body: { choices } })).status).toBe(200);
  const refund = await office.refund(people.finance, await office.purchase(), 7);
  await pass();
  await moveTo('15:49');
  await failRefund(office.world, refund.body.id);
  const listAll = async () =>
    Object.fromEntries(
      await Promise.all(
        Object.entries(people).map(async ([name, person]) => [name, await digestsTo(person)]),
      ),
    );
  const none = { owner: [], promoted: [], finance: [], both: [] };
  for (const at of ['15:50', '23:59', '06:59']) {
    await moveTo(at);
    await pass();
    expect(await listAll(), at).toEqual(none);
  }
  await moveTo('07:01');
  await pass();
  await pass();
  const figures = '“The figures of the day before, each morning”';
  expect(await listAll()).toEqual({
    owner: ['“A refund failed”'],
    promoted: [figures],
    finance: [figures],
    both: [`“A refund failed” and ${figures}`],
  });
});
