import { hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  aBrowser,
  aPerson,
  aSignedInBrowser,
  auditOf,
  type TestPerson,
} from '../../../test/accounts.ts';
import { freshDatabase, moveClock, portsFor, type TestDatabase } from '../../../test/harness.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import { sql } from '../../storage/sql.ts';
import type { Ports } from '../ports.ts';
import { verifySignIn } from './verify-sign-in.ts';

let db: TestDatabase;
let ports: Ports;
let server: TestServer;
let person: TestPerson;
beforeAll(async () => {
  db = await freshDatabase();
  ports = portsFor(db.database);
  server = await aServer(ports);
  person = await aPerson(ports, { name: 'Ada' });
}, 60_000);
afterAll(async () => {
  await server?.app.close();
  await db?.close();
});

const disable = sql('test_disable', 'update users set disabled_at = svc_clock() where id = $1');

describe('signIn', () => {
  it('200 open: the browser is signed in by a cookie that scripts cannot read', async () => {
    const browser = aBrowser(server.app);
    const { email, password } = person;
    const response = await browser.call('POST /v1/account/sign-in', { email, password });
    expect(response.statusCode).toBe(200);
    expect(response.json()).toEqual({ state: 'open' });
    expect(response.headers['set-cookie']).toMatch(
      /^svc_sign_in=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/,
    );
    const account = await browser.call('GET /v1/account');
    expect(account.json()).toMatchObject({ id: person.id, email, name: 'Ada', hasPassword: true });
  });
});
