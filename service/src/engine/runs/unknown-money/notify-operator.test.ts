// What the operator is shown where one merchant has made more payments with our marks than all the others.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  aClient,
  aGateway,
  freshDatabase,
  moveClock,
  portsFor,
  type TestClient,
  type TestDatabase,
} from '../../../../test/harness.ts';
import { plantInDatabase } from '../../../../test/payments/planted.ts';
import { sql } from '../../../storage/database/sql.ts';
import { claimMails } from '../../../storage/mails/mails.ts';
import { listMoneyToLookAt, listOpenMoney } from '../../../storage/payments/unknown-money.ts';
import type { Ports } from '../../ports.ts';
import { notifyOperator } from './notify-operator.ts';

let db: TestDatabase;
let ports: Ports;
let crowded: TestClient;
let other: TestClient;
beforeAll(async () => {
  db = await freshDatabase();
  const at = portsFor(db.database);
  ports = { ...at, settings: { ...at.settings, operatorEmail: 'operator@example.test' } };
  [crowded, other] = [await aClient(db.database), await aClient(db.database)];
  await plant(crowded, { count: 400, hoursAgo: 48 });
  await plant(other, { count: 1, hoursAgo: 1 });
});
afterAll(() => db?.close());

const insert = `insert into unknown_money (id, client_id, gateway_id, provider_intent_id, payment_id, state,
    amount_minor, refunded_minor, currency, is_disputed, status, found_at, read_at)
  select gen_random_uuid(), $1, $2, 'pi_' || gen_random_uuid(), gen_random_uuid(), 'captured', 100, 0, 'EUR',
    false, 'open', svc_clock() - make_interval(hours => $4), svc_clock() - make_interval(hours => $4)
  from generate_series(1, $3) n`;

async function plant(client: TestClient, { count, hoursAgo }: { count: number; hoursAgo: number }) {
  const { id } = await aGateway(db.database, client);
  await plantInDatabase(db.ownerUrl, (run) => run(insert, [client.id, id, count, hoursAgo]));
}

async function nextMail(): Promise<string> {
  await notifyOperator(ports);
  const [mail] = await claimMails(db.database, 10);
  const place = { table: 'mails', rowId: mail?.id ?? '', field: 'body' };
  return ports.sealedHere.open(place, mail?.bodySealed ?? Buffer.alloc(0));
}
const countMails = sql<{ count: number }>(
  'test_operator_mails',
  'select count(*)::int as count from mails',
);
const linesOf = ({ id }: TestClient, text: string) => text.split(`of ${id} (`).length - 1;

describe('one merchant with 400 payments that no payment knows, and another with one', () => {
  it('the list has a part of each merchant’s, and how many there are', async () => {
    const listed = await listOpenMoney(db.database, 20);
    const [first, ...rest] = listed.filter(({ clientId }) => clientId === crowded.id);
    expect([first?.ofMerchant, rest.length]).toEqual([400, 19]);
    expect(listed.filter(({ clientId }) => clientId === other.id)).toMatchObject([
      { ofMerchant: 1 },
    ]);
  });

  it('the hourly run reads those of the merchants by turns', async () => {
    const looked = await listMoneyToLookAt(db.database, 10);
    expect(looked.slice(0, 2).map(({ clientId }) => clientId)).toEqual([crowded.id, other.id]);
  });

  it('the mail has five lines of it, counts the rest, and comes once', async () => {
    const text = await nextMail();
    expect(text).toContain('401 payments at the provider');
    expect([linesOf(crowded, text), linesOf(other, text)]).toEqual([6, 1]);
    expect(text).toContain(`and 395 more of ${crowded.id} (`);
    await moveClock(db.database, 3_700_000);
    await notifyOperator(ports);
    expect(await db.database.read(countMails, [])).toEqual([{ count: 1 }]);
  });
});
