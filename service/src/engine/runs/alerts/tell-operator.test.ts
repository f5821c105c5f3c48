// The operator's alerts over a real database: told once when a trouble begins and once when it is over, together
// with what comes in the same five minutes, by mail and at the operator's URL.

import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  aClient,
  aGateway,
  freshDatabase,
  portsFor,
  type TestDatabase,
} from '../../../../test/harness.ts';
import { sql } from '../../../storage/database/sql.ts';
import type { OperatorMessage, Ports, WebhookAnswer } from '../../ports.ts';
import type { Finding } from '../doctor/finding.ts';
import { watchCertificates } from '../doctor/judge-certificates.ts';
import { lookForTrouble, sendOperatorMessage, watchOutages } from './tell-operator.ts';

let db: TestDatabase;
let ports: Ports;
let posted: OperatorMessage[];
let status: number;
beforeEach(async () => {
  db = await freshDatabase();
  posted = [];
  status = 204;
  const sendAlert = async (message: OperatorMessage): Promise<WebhookAnswer> => {
    posted.push(message);
    return { status, error: null, excerpt: null, retryAfterSeconds: null, durationMs: 1 };
  };
  const bare = portsFor(db.database, { sendAlert });
  ports = { ...bare, settings: { ...bare.settings, operatorEmail: 'ops@example.test' } };
});
afterEach(() => db.close());

const refuseKeys = sql('t_refuse_keys', 'update gateways set key_refused_at = clock_timestamp()');
const acceptKeys = sql('t_accept_keys', 'update gateways set key_refused_at = null');
const olden = sql(
  't_olden_alerts',
  `update operator_alerts set told_at = told_at - interval '6 minutes'`,
);
const plantOther = sql(
  't_plant_alert',
  `insert into operator_alerts (kind, subject, said, mend, began_at)
   values ('mails_wait', '', 'mails wait', 'look', clock_timestamp())`,
);
const makeDue = sql(
  't_due_messages',
  'update operator_messages set next_attempt_at = clock_timestamp()',
);
const mails = sql<{ n: number }>(
  't_count_alert_mails',
  `select count(*)::int as n from mails where kind = 'operator_alert'`,
);
const run = (query: ReturnType<typeof sql>) => db.database.write(query, []);
const countMails = async () => (await db.database.read(mails, []))[0]?.n;

async function look(certificates: readonly Finding[] = []) {
  await lookForTrouble(ports, Date.now(), certificates);
  while ((await sendOperatorMessage(ports)) && status < 300);
  const told = posted.splice(0).map(({ body }) => JSON.parse(body));
  return told.flatMap(({ alerts }) =>
    alerts.map(({ kind, endedAt }: { kind: string; endedAt: string | null }) => [
      kind,
      endedAt === null ? 'begun' : 'over',
    ]),
  );
}

it('tells once that a trouble began and once that it is over', async () => {
  const client = await aClient(db.database);
  await aGateway(db.database, client);
  expect(await look()).toEqual([]);
  await run(refuseKeys);
  expect(await look()).toEqual([['gateway_refused', 'begun']]);
  expect(await look()).toEqual([]);
  await run(acceptKeys);
  // Within five minutes nothing more is told.
  expect(await look()).toEqual([]);
  await run(olden);
  expect(await look()).toEqual([['gateway_refused', 'over']]);
  expect(await look()).toEqual([]);
  expect(await countMails()).toBe(2);
});

it('tells of a certificate that ends within two weeks, and of none that cannot be read just now', async () => {
  const dayMs = 86_400_000;
  const urls = { baseUrl: 'https://pay.test', formOrigin: 'https://card.test' };
  let days: Record<string, number> = { 'https://card.test': 14 };
  const certificateEnd = async (url: string) => {
    const ends = days[url];
    if (ends === undefined) throw new Error('ECONNREFUSED');
    return ends * dayMs;
  };
  const watch = watchCertificates({ settings: { ...ports.settings, ...urls }, certificateEnd });
  expect(await look(await watch(0))).toEqual([]);
  days = { 'https://pay.test': 13.9, 'https://card.test': 14 };
  // Read again after an hour, not before.
  expect(await look(await watch(3_599_999))).toEqual([]);
  days['https://pay.test'] = 13.9 + 1 / 24;
  days['https://card.test'] = 14 + 1 / 24;
  expect(await look(await watch(3_600_000))).toEqual([['certificate', 'begun']]);
  days = {};
  await run(olden);
  expect(await look(await watch(7_200_000))).toEqual([]);
  days = { 'https://pay.test': 90, 'https://card.test': 90 };
  expect(await look(await watch(10_800_000))).toEqual([['certificate', 'over']]);
});

it('says nothing of a trouble that was over before it was told', async () => {
  const client = await aClient(db.database);
  await aGateway(db.database, client);
  await run(refuseKeys);
  await look();
  await run(plantOther);
  expect(await look()).toEqual([]);
  await run(olden);
  expect(await look()).toEqual([]);
});

it('sends a message again until it is taken', async () => {
  const client = await aClient(db.database);
  await aGateway(db.database, client);
  await run(refuseKeys);
  status = 500;
  expect(await look()).toHaveLength(1);
  expect(await look()).toEqual([]);
  await run(makeDue);
  status = 200;
  expect(await look()).toEqual([['gateway_refused', 'begun']]);
  expect(await look()).toEqual([]);
});

it('tells of each outage of the database after a minute, again after an hour, and of its end', async () => {
  const outages = watchOutages(ports);
  const told = async (minutes: number, is: 'isDown' | 'isUp') => {
    await outages[is](minutes * 60_000);
    return posted.splice(0).map(({ body }) => {
      const [{ kind, beganAt, endedAt }] = JSON.parse(body).alerts;
      return [kind, Date.parse(beganAt) / 60_000, endedAt && Date.parse(endedAt) / 60_000];
    });
  };
  expect(await told(0, 'isUp')).toEqual([]);
  expect(await told(1, 'isDown')).toEqual([]);
  expect(await told(2, 'isDown')).toEqual([['database_down', 1, null]]);
  expect(await told(3, 'isDown')).toEqual([]);
  expect(await told(62, 'isDown')).toEqual([['database_down', 1, null]]);
  expect(await told(63, 'isUp')).toEqual([['database_down', 1, 63]]);
  expect(await told(64, 'isDown')).toEqual([]);
  // What comes within five minutes of a message waits.
  expect(await told(66, 'isDown')).toEqual([]);
  expect(await told(67, 'isDown')).toEqual([['database_down', 64, null]]);
  expect(await told(68, 'isUp')).toEqual([['database_down', 64, 68]]);
});
