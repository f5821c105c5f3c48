// The digest of each morning: one a day for each person, from however many processes. Additions §6,
// Notifications.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { mailsTo } from '../../../../test/accounts.ts';
import { moveClock } from '../../../../test/harness.ts';
import { raceFor } from '../../../../test/held-row.ts';
import { type Colleague, type Office, openOffice } from '../../../../test/office.ts';
import { readAskingTime } from '../../../storage/database/clock.ts';
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
  await moveClock(database, morning - now.getTime());
  const lock = 'select from memberships where user_id = $1 for update';
  await raceFor(url, { lock, values: [finance.id], waiting: 2 }, () => [send(), send()]);
  const digest = ['[Sandbox] Daily digest: A shop', true];
  expect(await listDigests()).toEqual([digest]);
  await moveClock(database, day);
  await send();
  // A day without payments has no digest.
  expect(await listDigests()).toEqual([digest]);
});
