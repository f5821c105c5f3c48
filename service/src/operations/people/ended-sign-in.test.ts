// A change of a person's proofs that was accepted, and waits for the person's lock while its own
// sign-in is ended.

import type { PasskeyCreation } from '@svc/contract/account/passkeys';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshDatabase, portsFor, type TestDatabase } from '../../../test/harness.ts';
import { raceFor } from '../../../test/held-row.ts';
import {
  aBrowser,
  aPerson,
  aSignedInBrowser,
  shownCode,
  type TestBrowser,
  type TestPerson,
} from '../../../test/people/accounts.ts';
import { SoftwareAuthenticator } from '../../../test/people/software-authenticator.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import type { Ports } from '../../engine/ports.ts';

let db: TestDatabase;
let ports: Ports;
let server: TestServer;
beforeAll(async () => {
  db = await freshDatabase();
  ports = portsFor(db.database);
  server = await aServer(ports);
});
afterAll(async () => {
  await server?.app.close();
  await db?.close();
});

const fresh = 'plinth vexing otter canal';

/** Locks the person and ends every sign-in, as the change of a password does. */
const endAll = `with held as (select id from users where id = $1 for no key update),
  ended as (update sign_ins s set state = 'ended', ended_at = svc_clock() from held
    where s.user_id = held.id and s.state = 'open')
  select id from held`;

type Change = (browser: TestBrowser) => ReturnType<TestBrowser['call']>;

/**
 * Sends a change whose sign-in ends while the change waits for the person's lock; returns the
 * response.
 */
async function changeAfterEnd(person: TestPerson, browser: TestBrowser, change: Change) {
  const race = { lock: endAll, values: [person.id], waiting: 1 };
  const [answer] = await raceFor(db.url, race, () => [change(browser)]);
  return answer?.json() as { code?: string };
}

async function aSignedIn() {
  const person = await aPerson(ports);
  return { person, browser: await aSignedInBrowser({ app: server.app, ports }, person) };
}

const refused = { code: 'sign_in_required', status: 401 };

describe('a sign-in that ends while its change waits', () => {
  it('401 sign_in_required: sets no password, so that the owner keeps the new one', async () => {
    const { person, browser } = await aSignedIn();
    const late = await changeAfterEnd(person, browser, (thief) =>
      thief.call('PUT /v1/account/password', { password: fresh }),
    );
    expect(late).toMatchObject(refused);
    const { email, password } = person;
    const signIn = (tried: string) =>
      aBrowser(server.app).call('POST /v1/account/sign-in', { email, password: tried });
    expect((await signIn(fresh)).statusCode).toBe(401);
    expect((await signIn(password)).statusCode).toBe(200);
  });

  it('401 sign_in_required: adds no passkey and removes none', async () => {
    const { person, browser } = await aSignedIn();
    const createPasskey = async () => {
      const options = await browser.call('POST /v1/account/passkeys/options');
      return new SoftwareAuthenticator().create(options.json() as PasskeyCreation);
    };
    const body = { name: 'Laptop', passkey: await createPasskey() };
    const added = await browser.call('POST /v1/account/passkeys', body);
    const { id } = added.json() as { id: string };
    const another = { name: 'Mine now', passkey: await createPasskey() };
    const adding = await changeAfterEnd(person, browser, (thief) =>
      thief.call('POST /v1/account/passkeys', another),
    );
    expect(adding).toMatchObject(refused);
    const again = await aSignedInBrowser({ app: server.app, ports }, person);
    const removing = await changeAfterEnd(person, again, (thief) =>
      thief.call(`DELETE /v1/account/passkeys/${id}`),
    );
    expect(removing).toMatchObject(refused);
    const owner = await aSignedInBrowser({ app: server.app, ports }, person);
    expect((await owner.call('GET /v1/account/passkeys')).json()).toMatchObject({
      data: [{ id, name: 'Laptop' }],
    });
  });

  it('401 sign_in_required: changes nothing of the second factor', async () => {
    const { person, browser } = await aSignedIn();
    const making = await changeAfterEnd(person, browser, (thief) =>
      thief.call('POST /v1/account/authenticator'),
    );
    expect(making).toMatchObject(refused);
    const openBrowser = () => aSignedInBrowser({ app: server.app, ports }, person);
    const made = await (await openBrowser()).call('POST /v1/account/authenticator');
    const code = await shownCode(db.database, (made.json() as { secret: string }).secret);
    const confirm: Change = (by) => by.call('POST /v1/account/authenticator/confirm', { code });
    expect(await changeAfterEnd(person, await openBrowser(), confirm)).toMatchObject(refused);
    expect((await confirm(await openBrowser())).statusCode).toBe(200);
    const changes: Change[] = [
      (thief) => thief.call('POST /v1/account/recovery-codes'),
      (thief) => thief.call('DELETE /v1/account/authenticator'),
    ];
    for (const change of changes) {
      expect(await changeAfterEnd(person, await openBrowser(), change)).toMatchObject(refused);
    }
    expect((await (await openBrowser()).call('GET /v1/account')).json()).toMatchObject({
      hasAuthenticator: true,
      recoveryCodesLeft: 10,
    });
  });
});
