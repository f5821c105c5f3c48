// GET /v1/events?after=&wait= through the real route.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  aClient,
  aToken,
  callAs,
  freshDatabase,
  portsFor,
  type TestClient,
  type TestDatabase,
  type TestToken,
} from '../../../test/harness.ts';
import { aStoredEvent } from '../../../test/payments/stored-rows.ts';
import { aMemberOf } from '../../../test/people/members.ts';
import { aSignIn, fromOwnPage } from '../../../test/people/people.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import type { Database } from '../../storage/database/database.ts';
import { sql } from '../../storage/database/sql.ts';

let db: TestDatabase;
let server: TestServer;
let client: TestClient;
let token: TestToken;
/** Reads of events that have ended. */
let looks = 0;
beforeAll(async () => {
  db = await freshDatabase();
  const watched: Database = {
    ...db.database,
    read: async (query, values) => {
      const found = await db.database.read(query, values);
      if (query.name.startsWith('events.list')) looks += 1;
      return found;
    },
  };
  server = await aServer(portsFor(watched));
  client = await aClient(db.database);
  token = await aToken(db.database, client);
});
afterAll(async () => {
  await server?.close();
  await db?.close();
});

const revoke = sql('test_wait_revoke', 'update api_tokens set revoked_at = now() where id = $1');
const leave = sql('test_wait_leave', 'delete from memberships where user_id = any($1)');

const nil = `evt_${'0'.repeat(32)}`;
const listEvents = (query: string, as = token) => callAs(server.app, as, `GET /v1/events?${query}`);

describe('listEvents, wait', () => {
  it('answers as soon as an event follows, and at once where one does', async () => {
    const waiting = listEvents(`after=${nil}&wait=25`);
    const stored = await aStoredEvent(db.database, client);
    const began = performance.now();
    const { data } = (await waiting).json();
    expect(data.map(({ id }: { id: string }) => id)).toEqual([stored.id]);
    expect(performance.now() - began).toBeLessThan(20_000);
    expect((await listEvents(`after=${nil}&wait=25`)).json().data).toHaveLength(1);
    expect((await listEvents(`after=${stored.id}&wait=0`)).json().data).toEqual([]);
  });

  it('five of a person wait; the sixth is answered at once, and another merchant’s person waits', async () => {
    const last = (await listEvents(`after=${nil}`)).json().data.at(-1).id;
    let ended = 0;
    const six = Array.from({ length: 6 }, async () => {
      const { data } = (await listEvents(`after=${last}&wait=25`)).json();
      ended += 1;
      return data.length;
    });
    expect(await Promise.race(six)).toBe(0);
    const other = await aToken(db.database, await aClient(db.database));
    expect((await listEvents(`after=${nil}&wait=1`, other)).json().data).toEqual([]);
    expect(ended).toBe(1);
    await aStoredEvent(db.database, client, { createdAt: '2026-01-02T00:00:00.000000Z' });
    expect((await Promise.all(six)).toSorted()).toEqual([0, 1, 1, 1, 1, 1]);
  });

  it('403 merchant_role_required, 401: none of the later events to who lost access while waiting', async () => {
    const last = (await listEvents(`after=${nil}`)).json().data.at(-1).id;
    const leaver = await aToken(db.database, client);
    const endings = [
      [await aToken(db.database, client), 'authentication_required'],
      [leaver, 'authentication_required'],
    ] as const;
    const person = await aMemberOf(portsFor(db.database), client, { role: 'admin' });
    const headers = fromOwnPage(await aSignIn(portsFor(db.database), person), client.id);
    const path = `after=${last}&wait=25`;
    const waiting = [
      ...endings.map(([token]) => listEvents(path, token)),
      callAs(server.app, null, `GET /v1/events?${path}`, { headers }),
    ];
    // Each of the three waiting requests has polled, and polls again.
    const looked = looks + 6;
    await expect.poll(() => looks).toBeGreaterThan(looked);
    await db.database.write(revoke, [endings[0][0].id]);
    await db.database.write(leave, [[leaver.userId, person.id]]);
    await aStoredEvent(db.database, client, { createdAt: '2026-01-03T00:00:00.000000Z' });
    const answers = await Promise.all(waiting);
    expect(answers.map((answer) => answer.json().code)).toEqual([
      ...endings.map(([, code]) => code),
      'merchant_role_required',
    ]);
    expect(answers.some(({ body }) => body.includes('evt_'))).toBe(false);
  });

  it('400 invalid_query: without after, and for more than 25 seconds', async () => {
    for (const query of ['wait=5', `after=${nil}&wait=26`, `after=${nil}&wait=-1`]) {
      const answer = await listEvents(query);
      expect([answer.statusCode, answer.json().code], query).toEqual([400, 'invalid_query']);
    }
  });

  it('404 event_not_found: after an event of another merchant', async () => {
    const foreign = await aStoredEvent(db.database, await aClient(db.database));
    expect((await listEvents(`after=${foreign.id}&wait=5`)).json().code).toBe('event_not_found');
  });
});
