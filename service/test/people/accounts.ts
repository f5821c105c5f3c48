// People with passwords and other proofs for tests, and a browser that keeps its cookies as a real
// one does.

import { createHmac, randomBytes } from 'node:crypto';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import type { Ports } from '../../src/engine/ports.ts';
import { hashPassword } from '../../src/engine/steps/people/password-hash.ts';
import type { Database } from '../../src/storage/database/database.ts';
import { sql } from '../../src/storage/database/sql.ts';
import { callAs, moveClock, newId } from '../harness.ts';
import { aSignIn, cookieSet } from './people.ts';

export type TestPerson = {
  readonly id: string;
  readonly email: string;
  readonly password: string;
};

const insert = sql(
  'test_person_with_password',
  `insert into users (id, email, name, password_hash, password_changed_at, created_at)
   values ($1, $2, $3, $4, svc_clock(), svc_clock())`,
);

const password = `canary ${randomBytes(9).toString('base64url')} horse`;

/** Creates a person with an account; `password: null` for one without a password. */
export async function aPerson(
  ports: Ports,
  given: { readonly email?: string; readonly name?: string; readonly password?: null } = {},
): Promise<TestPerson> {
  const id = newId();
  const email = given.email ?? `${randomBytes(6).toString('hex')}@people.example`;
  const passwordHash = given.password === null ? null : await hashPassword(password, ports);
  await ports.database.write(insert, [id, email, given.name ?? null, passwordHash]);
  return { id, email, password };
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export type TestBrowser = {
  /** The current cookie; null when there is none. */
  cookie: string | null;
  call(call: `${Method} ${string}`, body?: unknown): Promise<LightMyRequestResponse>;
};

/** A browser on our own page. `address` is its address behind one trusted proxy. */
export function aBrowser(
  app: FastifyInstance,
  given: { readonly address?: string; readonly cookie?: string } = {},
): TestBrowser {
  const browser: TestBrowser = {
    cookie: given.cookie ?? null,
    async call(call, body) {
      const isRead = call.startsWith('GET') || call.startsWith('DELETE');
      const response = await callAs(app, null, call, {
        ...(isRead ? {} : { body: body ?? {} }),
        headers: {
          origin: 'http://localhost:4000',
          'sec-fetch-site': 'same-origin',
          'user-agent': 'Firefox/150 (test)',
          ...(given.address === undefined ? {} : { 'x-forwarded-for': given.address }),
          ...(browser.cookie === null ? {} : { cookie: `svc_sign_in=${browser.cookie}` }),
        },
      });
      const [, value] = /^svc_sign_in=([^;]*)/.exec(cookieSet(response)) ?? [];
      if (value !== undefined) browser.cookie = value === '' ? null : value;
      return response;
    },
  };
  return browser;
}

/** A browser in which the person has just signed in. */
export async function aSignedInBrowser(
  { app, ports }: { readonly app: FastifyInstance; readonly ports: Ports },
  person: { readonly id: string },
  given: { readonly address?: string } = {},
): Promise<TestBrowser> {
  const { cookie } = await aSignIn(ports, person);
  return aBrowser(app, { ...given, cookie: cookie.slice('svc_sign_in='.length) });
}

const digits = (mac: Buffer): string => {
  const at = (mac[19] as number) & 15;
  return String((mac.readUInt32BE(at) & 0x7fffffff) % 1_000_000).padStart(6, '0');
};

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/**
 * Moves the clock to the start of an authenticator's time step, so that half a minute is one step.
 */
export async function startStep(database: Database): Promise<void> {
  await moveClock(database, 30_000 - ((await readClock(database)) % 30_000));
}

/** Returns the code that an authenticator with this base32 secret shows, `steps` steps from now. */
export async function shownCode(database: Database, secret: string, steps = 0): Promise<string> {
  const step = Math.floor((await readClock(database)) / 30_000) + steps;
  const bits = [...secret].map((c) => alphabet.indexOf(c).toString(2).padStart(5, '0')).join('');
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((each) => Number.parseInt(each, 2)));
  const counter = Buffer.alloc(8);
  counter.writeUInt32BE(step, 4);
  return digits(createHmac('sha1', key).update(counter).digest());
}

/** Returns by how many milliseconds the service's clock is ahead. */
export const clockShiftMs = async (database: Database): Promise<number> =>
  (await readClock(database)) - Date.now();

async function readClock(database: Database): Promise<number> {
  const [row] = await database.read(clock, []);
  return (row as { now: Date }).now.getTime();
}
const clock = sql<{ now: Date }>('test_clock_now', 'select svc_clock() as now');

/**
 * Returns the mails to an address with their texts, the newest last. A mail that is over, sent or given up, has
 * lost its texts.
 */
export async function mailsTo(ports: Ports, to: string) {
  const rows = await ports.database.read(mails, [to]);
  return rows.map(({ id, kind, state, body_sealed }) => ({
    kind,
    state,
    ...(body_sealed === null
      ? { subject: null, text: '' }
      : (JSON.parse(
          ports.sealedHere.open({ table: 'mails', rowId: id, field: 'body' }, body_sealed),
        ) as { subject: string; text: string })),
  }));
}
const mails = sql<{ id: string; kind: string; state: string; body_sealed: Buffer | null }>(
  'test_mails_to',
  'select id, kind, state, body_sealed from mails where recipient = $1 order by id',
);

export type AuditLine = {
  readonly action: string;
  readonly actor_kind: string;
  readonly actor_user_id: string | null;
  readonly address: string | null;
  readonly after: unknown;
};

/** Returns the audit log's entries about the account, in order. */
export const auditOf = (database: Database, userId: string): Promise<AuditLine[]> =>
  database.read(audit, [userId]);
const audit = sql<AuditLine>(
  'test_audit_of',
  `select action, actor_kind, actor_user_id, address, after from audit_entries
   where user_id = $1 order by id`,
);
