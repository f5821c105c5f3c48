// A person's secrets are only in the one response that shows them: not in the database, not in the
// log, not in another response.

import type { PasskeyCreation, PasskeyRequest } from '@svc/contract/account/passkeys';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshDatabase, portsFor, type TestDatabase } from '../../../test/harness.ts';
import {
  aBrowser,
  aPerson,
  mailsTo,
  shownCode,
  type TestBrowser,
} from '../../../test/people/accounts.ts';
import { SoftwareAuthenticator } from '../../../test/people/software-authenticator.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import type { Ports } from '../../engine/ports.ts';

let db: TestDatabase;
let ports: Ports;
let server: TestServer;
let owner: pg.Client;
beforeAll(async () => {
  db = await freshDatabase();
  ports = portsFor(db.database);
  server = await aServer(ports);
  owner = new pg.Client({ connectionString: db.ownerUrl });
  await owner.connect();
});
afterAll(async () => {
  await owner?.end();
  await server?.app.close();
  await db?.close();
});

/** Returns all rows of all tables as text, with bytes in hexadecimal. */
async function readEveryRow(): Promise<string> {
  const { rows } = await owner.query<{ name: string }>(
    `select relname as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`,
  );
  const texts: string[] = [];
  for (const { name } of rows) {
    const { rows: found } = await owner.query(`select to_jsonb(t)::text as text from ${name} t`);
    texts.push(...found.map(({ text }: { text: string }) => `${name} ${text}`));
  }
  return texts.join('\n');
}

const spellings = (secret: string): string[] => [
  secret,
  Buffer.from(secret).toString('hex'),
  Buffer.from(secret).toString('base64').replace(/=+$/, ''),
  encodeURIComponent(secret),
];

type RecordedAnswers = { readonly secrets: Map<string, string>; readonly answers: string[] };

/** A browser whose responses are recorded. */
function listening(told: RecordedAnswers): TestBrowser {
  const browser = aBrowser(server.app);
  return {
    get cookie() {
      return browser.cookie;
    },
    set cookie(value) {
      browser.cookie = value;
    },
    async call(call, body) {
      const response = await browser.call(call, body);
      told.answers.push(response.body);
      if (browser.cookie)
        told.secrets.set(`cookie after ${call} ${told.secrets.size}`, browser.cookie);
      return response;
    },
  };
}

/** Uses every kind of proof that a person has. */
async function useAllSecrets(told: RecordedAnswers): Promise<void> {
  const { secrets } = told;
  const person = await aPerson(ports);
  const { email, password } = person;
  secrets.set('password', password).set('wrong password', 'canary wrong password');
  const browser = listening(told);
  await browser.call('POST /v1/account/sign-in', { email, password: 'canary wrong password' });
  await browser.call('POST /v1/account/sign-in', { email, password });
  const made = (await browser.call('POST /v1/account/authenticator')).json() as { secret: string };
  const codes = [await shownCode(db.database, made.secret), '918273'];
  await browser.call('POST /v1/account/authenticator/confirm', { code: codes[1] });
  const on = await browser.call('POST /v1/account/authenticator/confirm', { code: codes[0] });
  expect(on.statusCode).toBe(200);
  const { recoveryCodes } = on.json() as { recoveryCodes: string[] };
  secrets.set('totp secret', made.secret);
  for (const code of recoveryCodes) {
    secrets.set(`recovery ${code}`, code).set(`bare ${code}`, code.replaceAll('-', ''));
  }
  const device = new SoftwareAuthenticator();
  const options = (await browser.call('POST /v1/account/passkeys/options')).json();
  secrets.set('challenge', (options as PasskeyCreation).challenge);
  const passkey = device.create(options as PasskeyCreation);
  await browser.call('POST /v1/account/passkeys', { name: 'Laptop', passkey });
  const asked = (await browser.call('POST /v1/account/sign-in/passkey-options')).json();
  secrets.set('second challenge', (asked as PasskeyRequest).challenge);
  const asserted = device.get(asked as PasskeyRequest);
  expect((await browser.call('POST /v1/account/sign-in/passkey', asserted)).statusCode).toBe(200);
  const [recoveryCode] = recoveryCodes;
  await browser.call('POST /v1/account/confirm', { password, recoveryCode });
  await browser.call('POST /v1/account/password-reset', { email });
  const mail = (await mailsTo(ports, email)).find(({ kind }) => kind === 'password_reset');
  const link = mail?.text.match(/#([\w-]{43})/)?.[1] ?? '';
  expect(link).toHaveLength(43);
  secrets.set('link', link).set('new password', 'canary plinth vexing otter');
  const reset = { link, password: 'canary plinth vexing otter' };
  const done = await browser.call('POST /v1/account/password-reset/complete', reset);
  expect(done.statusCode).toBe(204);
  await browser.call('POST /v1/account/password-reset/complete', reset);
  await browser.call('POST /v1/account/sign-in', { email, password: reset.password });
  await browser.call('POST /v1/account/sign-in/second-factor', { recoveryCode: recoveryCodes[1] });
  for (const path of ['', '/sign-ins', '/passkeys', '/memberships', '/audit-entries']) {
    await browser.call(`GET /v1/account${path}`);
  }
}

describe('secrets of people', () => {
  it('stand in no row of the database, no line of the log and no second answer', async () => {
    const told: RecordedAnswers = { secrets: new Map(), answers: [] };
    await useAllSecrets(told);
    expect(told.secrets.size).toBeGreaterThan(30);
    const places = { rows: await readEveryRow(), log: JSON.stringify(server.logged) };
    expect(places.rows).toContain('sign_in.opened');
    expect(places.log).toContain('signInSecondFactor');
    const found: string[] = [];
    for (const [name, secret] of told.secrets) {
      for (const [place, text] of Object.entries(places)) {
        if (spellings(secret).some((each) => text.includes(each)))
          found.push(`${name} in ${place}`);
      }
      const answers = told.answers.filter((body) => body.includes(secret));
      if (answers.length > 1) found.push(`${name} in ${answers.length} answers`);
    }
    expect(found).toEqual([]);
  });
});
