// Where cards were issued: told by the provider's charge or by its decline, and found again in
// reports, lists, totals and files. Additions §2 and §8, docs/decisions/lists.md.

import type { Payment } from '@svc/contract/payments/payments';
import type { ActivityReport } from '@svc/contract/reports/reports';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { aSavedCard, payBy, vouchedSession } from '../../../test/customers/saved-cards.ts';
import { callAs, newId } from '../../../test/harness.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import { aSession, cards, pay, startWorld, type World } from '../../../test/world.ts';

const german = '4000002760000016';
const approvedOnce = '4000000000000341';

let world: World;
let server: TestServer;
beforeAll(async () => {
  world = await startWorld();
  server = await aServer(world.ports);
  const typed = () => aSession(world, { captureMethod: 'automatic' });
  await pay(world, await typed(), german);
  await pay(world, await typed(), cards.poor).catch(() => undefined);
  for (const number of [german, approvedOnce]) {
    const userId = newId();
    const session = await vouchedSession(world, { userId, captureMethod: 'automatic' });
    const { id } = await aSavedCard(world, { userId, number });
    await payBy(world, session, { paymentMethodId: id }).catch(() => undefined);
  }
});
afterAll(async () => {
  await server?.close();
  await world?.close();
});

const ask = (path: string) => callAs(server.app, world.token, `GET /v1/${path}`);

it('attempts are grouped by country, and by decline code and country', async () => {
  const groupsBy = async (by: string) => {
    const answer = await ask(`reports/activity?by=${by}`);
    expect(answer.statusCode, answer.body).toBe(200);
    const { groups } = answer.json() as ActivityReport;
    return groups?.map(({ currency: _, amount: __, ...group }) => group);
  };
  expect(await groupsBy('country')).toEqual([
    { name: 'DE', succeeded: 2, failed: 0 },
    { name: 'US', succeeded: 0, failed: 2 },
  ]);
  expect(new Set(await groupsBy('declineCodeCountry'))).toEqual(
    new Set([
      { name: null, country: 'DE', succeeded: 2, failed: 0 },
      { name: 'insufficient_funds', country: 'US', succeeded: 0, failed: 1 },
      { name: 'generic_decline', country: 'US', succeeded: 0, failed: 1 },
    ]),
  );
});

it('lists, totals and files find a country; a payment itself does not show it', async () => {
  const listed = await ask('payments?cardCountry[eq]=DE');
  const { data } = listed.json() as { data: Payment[] };
  expect(data.map(({ status }) => status)).toEqual(['succeeded', 'succeeded']);
  expect(JSON.stringify(data)).not.toMatch(/country/i);
  const failed = (await ask('payments?cardCountry[ne]=DE')).json() as { data: Payment[] };
  expect(failed.data.map(({ status }) => status)).toEqual(['failed', 'failed']);
  const totals = (await ask('payments/totals?cardCountry[eq]=DE')).json();
  expect(totals.data).toMatchObject([{ currency: 'EUR', count: 2 }]);
  const file = await ask(
    'payments.csv?cardCountry[eq]=US&columns=status,card_country&style=program',
  );
  expect(file.body.trim().split(/\r?\n/)).toEqual([
    'status,card_country',
    'failed,US',
    'failed,US',
  ]);
});

it.each(['de', 'GER', ''])('refuses %o as a country', async (country) => {
  const answer = await ask(`payments?cardCountry[eq]=${country}`);
  expect([answer.statusCode, answer.json().code]).toEqual([400, 'invalid_query']);
});
