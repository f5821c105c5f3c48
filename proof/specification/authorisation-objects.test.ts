// Another merchant's or person's object is answered as one that there is not: status, header names
// and every byte but the request's id, and in the same time. Reliability §2.7 N1 to N3, N10; §5.12,
// 14.

import { rows } from '@svc/contract';
import type { RowShape } from '@svc/contract/row';
import { scopes as allScopes } from '@svc/contract/scopes';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exampleOf } from '../../service/src/http/docs/example.ts';
import { aCustomerPage } from '../../service/test/customer-pages.ts';
import { aGrant } from '../../service/test/grants.ts';
import {
  aClient,
  callAs,
  freshDatabase,
  newId,
  portsFor,
  type TestDatabase,
} from '../../service/test/harness.ts';
import { aSignIn, fromOwnPage } from '../../service/test/people.ts';
import { aServer, type TestServer } from '../../service/test/server.ts';
import { anObjectOfEach, type Objects } from './foreign-objects.ts';

let db: TestDatabase;
let server: TestServer;
let own: Objects;
let foreign: Objects;
beforeAll(async () => {
  db = await freshDatabase();
  // Provider and vault are not there: a call that asked them would end in a 500.
  server = await aServer(portsFor(db.database));
  own = await anObjectOfEach(db, await aClient(db.database));
  foreign = await anObjectOfEach(db, await aClient(db.database));
});
afterAll(async () => {
  await server?.close();
  await db?.close();
});

type Named = [name: string, row: RowShape, place: string];
const withObject: Named[] = Object.entries(rows as Record<string, RowShape>).flatMap(
  ([name, row]): Named[] => {
    const [, section = '', parameter = ''] = /\/v1\/([^{]+)\/\{(\w+)\}/.exec(row.call) ?? [];
    // A month is the calendar's, and nobody's object.
    return parameter === '' || parameter === 'month'
      ? []
      : [[name, row, `${section} ${parameter}`]];
  },
);

/** The buyer that the examples of bodies name. */
const buyer = String(exampleOf(rows.getPayment.input.path.properties.paymentId));

type Headers = Readonly<Record<string, string>>;

/** Every way in which the row's own callers come, as the merchant or person that owns `objects`. */
async function credentialsOf({ auth }: RowShape, { owner, client, nonce }: Objects) {
  const ports = portsFor(db.database);
  const user = { id: owner.userId };
  const byBasic: Headers = { authorization: owner.authorization };
  const signIn = await aSignIn(ports, user);
  const byBrowser = fromOwnPage(signIn, client.id);
  const grant = await aGrant(ports, { user, client, scopes: allScopes });
  const byBearer: Headers = { authorization: grant.authorization };
  if (auth === 'server' || auth === 'server-or-session') return { byBasic, byBearer, byBrowser };
  if (auth === 'bearer') return { byBearer, byBrowser };
  if (auth === 'person') return { byPerson: fromOwnPage(signIn) };
  if (auth === 'session') return { byNonce: { 'x-checkout-session-token': nonce } };
  return { byPage: { 'x-customer-page-token': await aCustomerPage(ports, owner) } };
}

const missingOf = (id: string): string => {
  if (id.startsWith('evt_')) return `evt_${newId().replaceAll('-', '')}`;
  // Of the same length and shape: what tells them apart is whether it is there.
  return id.includes('-') && id.length === 36
    ? newId()
    : id.replace(/..$/, (last) => (last === '00' ? '11' : '00'));
};

async function send(row: RowShape, id: string, credential: Headers) {
  const [method = '', template = ''] = row.call.split(' ');
  const headers = {
    ...(row.idempotent ? { 'idempotency-key': newId() } : {}),
    ...(row.input.headers ? { 'x-user-id': buyer } : {}),
    ...credential,
  };
  const example = row.input.body && (exampleOf(row.input.body) as object);
  const body = example && 'sessionId' in example ? { ...example, sessionId: id } : example;
  return callAs(server.app, null, `${method as 'GET'} ${template.replace(/\{\w+\}/, id)}`, {
    headers,
    ...(body === undefined ? {} : { body }),
  });
}

/** All that a caller can see but the request's id and the clock. */
function seen(response: Awaited<ReturnType<typeof send>>) {
  const { 'request-id': id, date: _, ...headers } = response.headers;
  return { status: response.statusCode, headers, body: response.body.replaceAll(String(id), '') };
}

const countWork = async (): Promise<number> =>
  (
    await db.database.read<{ n: number }>(
      {
        name: 'count_work',
        text: `select (select count(*) from payment_operations)::int
          + (select count(*) from events)::int + (select count(*) from audit_entries where
            client_id is not null)::int as n`,
      },
      [],
    )
  )[0]?.n ?? 0;

describe('N1, N3: an object of others', () => {
  it('every row that names an object has one here to try', () => {
    expect(withObject.filter(([, , place]) => own.ids[place] === undefined)).toEqual([]);
    expect(withObject.length).toBeGreaterThan(35);
  });

  it.each(withObject)('%s: as one that there is not', async (_name, row, place) => {
    const id = foreign.ids[place] ?? '';
    const missing = missingOf(id);
    const credentials = Object.entries(await credentialsOf(row, own));
    const work = await countWork();
    for (const [how, credential] of credentials) {
      const [ofForeign, ofMissing] = [
        await send(row, id, credential),
        await send(row, missing, credential),
      ];
      expect(ofMissing.statusCode, `${how} ${ofMissing.body}`).toBe(404);
      expect(ofMissing.json().code).not.toBe('route_not_found');
      expect(seen(ofForeign), how).toEqual(seen(ofMissing));
    }
    expect(await countWork()).toBe(work);
  });

  // These would ask the provider once the object is found.
  const asksProvider = ['deletePaymentMethod', 'deleteCustomerPageMethod'];
  // What takes an object away comes late, and who leaves the merchant last of all: the others want to
  // find something.
  const lateness = ([name, row]: Named) =>
    Number(row.call.startsWith('DELETE ')) + Number(name === 'leaveClient');
  const found = withObject
    .filter(([name]) => !asksProvider.includes(name))
    .sort((a, b) => lateness(a) - lateness(b));

  it.each(found)('%s: is there for whom it belongs to', async (_name, row, place) => {
    const id = foreign.ids[place] ?? '';
    const answers: number[] = [];
    for (const credential of Object.values(await credentialsOf(row, foreign))) {
      answers.push((await send(row, id, credential)).statusCode);
    }
    // Once it is taken away, the next credential finds none.
    const looked = row.call.startsWith('DELETE ') ? answers.slice(0, 1) : answers;
    expect(looked).not.toContain(404);
  });

  it('createSetupSession: a customer of another merchant is as good as missing', async () => {
    const ask = (userId: string) =>
      callAs(server.app, own.owner, 'POST /v1/checkouts/sessions/setup', { body: { userId } });
    const ofForeign = await ask(foreign.ids['customers customerId'] ?? '');
    const ofMissing = await ask(newId());
    expect([ofMissing.statusCode, ofMissing.json().code]).toEqual([404, 'customer_not_found']);
    expect(seen(ofForeign)).toEqual(seen(ofMissing));
  });

  it('N2: takes as long as one that there is not', async () => {
    const ask = async (id: string) => {
      const from = performance.now();
      await callAs(server.app, own.owner, `GET /v1/payments/${id}`);
      return performance.now() - from;
    };
    const id = foreign.ids['payments paymentId'] ?? '';
    const median = (all: number[]) => all.toSorted((a, b) => a - b)[all.length >> 1] ?? 0;
    const round = async (): Promise<[foreign: number, missing: number]> => {
      const [ofForeign, ofMissing]: [number[], number[]] = [[], []];
      for (let i = 0; i < 700; i++) {
        // Who is first changes: a warm cache must not favour one of them.
        if (i % 2 === 0) ofForeign.push(await ask(id));
        ofMissing.push(await ask(newId()));
        if (i % 2 === 1) ofForeign.push(await ask(id));
      }
      return [median(ofForeign), median(ofMissing)];
    };
    const isAlike = ([one, other]: [number, number]) => {
      const difference = Math.abs(one - other);
      return difference < 0.2 || difference < 0.05 * other;
    };
    // A machine with other work shifts one round; what the service tells shows in every one.
    const rounds: [number, number][] = [];
    do rounds.push(await round());
    while (!rounds.some(isAlike) && rounds.length < 4);
    expect(rounds.some(isAlike), JSON.stringify(rounds)).toBe(true);
  }, 240_000);
});
