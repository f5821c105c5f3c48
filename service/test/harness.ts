// The fixture of tests with a database: a clone of the migrated template per test file, rows to
// start from, and callers of the API.

import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Scope, scopes } from '@svc/contract/rows/scopes';
import { passTime } from '@svc/tools/pass-time';
import { cloneDatabase, createTemplate } from '@svc/tools/test-database/index';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { newApiToken } from '../src/domain/people/api-token.ts';
import { defaultKeepDays } from '../src/domain/protocol/retention.ts';
import { idSource } from '../src/domain/protocol/uuid-v7.ts';
import { isUnavailable } from '../src/engine/is-unavailable.ts';
import type { Caller, Ports, Role } from '../src/engine/ports.ts';
import { readClock } from '../src/storage/database/clock.ts';
import { type Database, openDatabase } from '../src/storage/database/database.ts';
import { openInstallationSecrets } from '../src/storage/database/installation-secrets.ts';
import { migrate } from '../src/storage/database/migrate.ts';
import { sql } from '../src/storage/database/sql.ts';

export const newId = idSource(Date.now, randomBytes);

export type TestDatabase = {
  /** The address with which the service connects: role svc_service. */
  readonly url: string;
  /** The address with which migrations run: role svc_owner. */
  readonly ownerUrl: string;
  /** The address with which the vault connects: role svc_vault. */
  readonly vaultUrl: string;
  readonly database: Database;
  close(): Promise<void>;
};

const migrations = join(import.meta.dirname, '../migrations');

function templateName(): string {
  const digest = createHash('sha256');
  for (const file of readdirSync(migrations).sort()) {
    digest.update(file).update(readFileSync(join(migrations, file)));
  }
  return `svc_template_${digest.digest('hex').slice(0, 16)}`;
}

/** Longer than a service waits: a machine that runs many tests may keep a statement waiting that ends well. */
const patient = { answerMs: 30_000, connectMs: 30_000 };

/** Creates a migrated database for the caller. Close it in `afterAll`. */
export async function freshDatabase(settings: { poolSize?: number } = {}): Promise<TestDatabase> {
  const template = templateName();
  await createTemplate(template, migrate);
  const clone = await cloneDatabase(template);
  const url = clone.url('svc_service');
  const database = openDatabase({ url, limits: patient, ...settings });
  return {
    url,
    ownerUrl: clone.url('svc_owner'),
    vaultUrl: clone.url('svc_vault'),
    database,
    async close() {
      await database.close();
      await clone.drop();
    },
  };
}

const unset = (name: string) => (): never => {
  throw new Error(`this test gave no port ${name}`);
};

/** Returns ports for a database; the test must pass those that leave the process. */
export function portsFor(database: Database, given: Partial<Ports> = {}): Ports {
  return {
    database,
    report: (work) => work(database, null),
    standby: async () => null,
    settings: {
      baseUrl: 'http://localhost:4000',
      checkoutUrl: 'http://localhost:4000',
      mode: 'sandbox',
      isLive: false,
      leaseMs: 30_000,
      attemptLimits: null,
      formOrigin: 'http://localhost:4001',
      keepDays: defaultKeepDays,
    },
    provider: unset('provider'),
    methodKeeper: unset('methodKeeper'),
    prepareOrder: unset('prepareOrder'),
    parseNotice: unset('parseNotice'),
    accounts: {
      check: unset('accounts'),
      tryNotice: unset('accounts'),
      openWebhook: unset('accounts'),
    },
    vault: {
      isTokenOf: unset('vault'),
      redeem: unset('vault'),
      forget: unset('vault'),
      formUrl: unset('vault'),
      mount: unset('vault'),
      look: async () => ({ state: 'ready', aheadMs: 0 }),
    },
    sendWebhook: unset('sendWebhook'),
    judgeWebhookUrl: unset('judgeWebhookUrl'),
    certificateEnd: unset('certificateEnd'),
    sendAlert: null,
    mail: null,
    sandbox: null,
    sealed: { seal: unset('sealed'), open: unset('sealed'), rewrap: unset('sealed') },
    sealedHere: openInstallationSecrets({ kek: Buffer.alloc(32, 7), randomBytes }),
    newId,
    randomBytes,
    // Some tests sign in dozens of times.
    passwordCost: 6,
    // A test's authenticator follows the clock that the test moves.
    phoneTime: readClock,
    nudge: () => undefined,
    ...given,
  };
}

// Rows to start from. Each function takes the fields that matter to the test and fills in the rest.

export type TestClient = { readonly id: string };
export type TestUser = { readonly id: string };

const insertClient = sql(
  'test_client',
  `insert into clients (id, name, is_live, allowed_origins, api_version, created_at, updated_at)
   values ($1, $2, false, $3, '2026-01-01', svc_clock(), svc_clock())`,
);

export async function aClient(
  db: Database,
  given: { id?: string; name?: string; allowedOrigins?: readonly string[] } = {},
): Promise<TestClient> {
  const id = given.id ?? newId();
  await db.write(insertClient, [id, given.name ?? 'A shop', given.allowedOrigins ?? []]);
  return { id };
}

const insertUser = sql(
  'test_user',
  'insert into users (id, email, created_at) values ($1, $2, svc_clock())',
);
const insertMembership = sql(
  'test_membership',
  `insert into memberships (client_id, user_id, role, created_at)
   values ($1, $2, $3, svc_clock())`,
);

/** A person with a role at the client. */
async function aMember(db: Database, client: TestClient, role: Role = 'owner'): Promise<TestUser> {
  const id = newId();
  await db.write(insertUser, [id, `${id}@example.test`]);
  await db.write(insertMembership, [client.id, id, role]);
  return { id };
}

const insertToken = sql(
  'test_token',
  `insert into api_tokens
     (id, client_id, user_id, name, token_sha256, scopes, created_at, expires_at, revoked_at)
   values ($1, $2, $3, 'test', $4, $5, svc_clock(), $6, $7)`,
);

export type TestToken = {
  readonly id: string;
  readonly clientId: string;
  readonly userId: string;
  /** The password of Client Basic. */
  readonly token: string;
  /** Ready for `callAs`. */
  readonly authorization: string;
};

export const basicHeader = (clientId: string, token: string): string =>
  `Basic ${Buffer.from(`${clientId}:${token}`).toString('base64')}`;

/**
 * All scopes that an API token can have. Calls about people and applications require a token that
 * names their scope.
 */
export const everyScope: readonly Scope[] = scopes.filter((scope) => scope !== 'mcp');

/** An API token of a new member of the client (an owner unless told). */
export async function aToken(
  db: Database,
  client: TestClient,
  given: {
    role?: Role;
    user?: TestUser;
    scopes?: readonly string[];
    expiresAt?: Date;
    revokedAt?: Date;
  } = {},
): Promise<TestToken> {
  const user = given.user ?? (await aMember(db, client, given.role));
  const token = newApiToken(randomBytes(32));
  const sha256 = createHash('sha256').update(token).digest();
  const id = newId();
  await db.write(insertToken, [
    id,
    client.id,
    user.id,
    sha256,
    given.scopes ?? null,
    given.expiresAt ?? null,
    given.revokedAt ?? null,
  ]);
  const authorization = basicHeader(client.id, token);
  return { id, clientId: client.id, userId: user.id, token, authorization };
}

const insertGateway = sql(
  'test_gateway',
  `insert into gateways (id, client_id, provider, account_id, publishable_key, secret_key_sealed,
     notice_secret_sealed, classified_from, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, svc_clock(), svc_clock())`,
);

export type TestGateway = { readonly id: string; readonly clientId: string };

/** Inserts a gateway; the caller, who has the key, encrypts its secrets. */
export async function aGateway(
  db: Database,
  client: TestClient,
  given: {
    id?: string;
    provider?: 'cardprovider' | 'wallet';
    accountId?: string;
    publishableKey?: string;
    secretKeySealed?: Buffer;
    noticeSecretSealed?: Buffer;
  } = {},
): Promise<TestGateway> {
  const id = given.id ?? newId();
  await db.write(insertGateway, [
    id,
    client.id,
    given.provider ?? 'cardprovider',
    given.accountId ?? 'acct_test',
    given.publishableKey ?? 'pk_test_harness',
    given.secretKeySealed ?? Buffer.from('not sealed'),
    given.noticeSecretSealed ?? null,
  ]);
  return { id, clientId: client.id };
}

const insertProduct = sql(
  'test_product',
  `insert into products (client_id, code, name, kind, interval_unit, created_at, updated_at)
   values ($1, $2, $3, $4, $5, svc_clock(), svc_clock())`,
);
const insertPrice = sql(
  'test_price',
  `insert into product_prices (client_id, product_code, currency, amount_minor)
   values ($1, $2, $3, $4)`,
);

/** A product with prices in minor units by currency. */
export async function aProduct(
  db: Database,
  client: TestClient,
  given: {
    code?: string;
    name?: string;
    kind?: 'item' | 'subscription';
    prices?: Readonly<Record<string, number>>;
  } = {},
): Promise<{ readonly code: string }> {
  const code = given.code ?? `product-${randomBytes(4).toString('hex')}`;
  const kind = given.kind ?? 'item';
  const interval = kind === 'subscription' ? 'month' : null;
  await db.write(insertProduct, [client.id, code, given.name ?? 'A mug', kind, interval]);
  for (const [currency, minor] of Object.entries(given.prices ?? { EUR: 1990 })) {
    await db.write(insertPrice, [client.id, code, currency, minor]);
  }
  return { code };
}

const insertCustomer = sql(
  'test_customer',
  `insert into customers (client_id, id, email, created_at, updated_at)
   values ($1, $2, $3, svc_clock(), svc_clock())`,
);

export async function aCustomer(
  db: Database,
  client: TestClient,
  given: { id?: string; email?: string } = {},
): Promise<{ readonly id: string; readonly email: string }> {
  const id = given.id ?? newId();
  const email = given.email ?? `buyer-${id}@example.test`;
  await db.write(insertCustomer, [client.id, id, email]);
  return { id, email };
}

const setShift = sql(
  'test_clock_shift',
  'update clock_shift set shift = shift + make_interval(secs => $1::double precision / 1000)',
);

/** Moves `svc_clock()` of this database. */
export async function moveClock(db: Database, ms: number): Promise<void> {
  await db.write(setShift, [ms]);
}

// Callers.

/** The caller that a token authenticates as, for calling an operation directly. */
export const callerOf = (token: TestToken, given: Partial<Caller> = {}): Caller =>
  ({
    kind: 'server',
    via: 'token',
    clientId: token.clientId,
    userId: token.userId,
    tokenId: token.id,
    role: 'owner',
    scopes: null,
    requestId: `req_${randomBytes(13).toString('hex')}`,
    origin: null,
    ...given,
  }) as Caller;

/** The same person and token in the form in which claims store them. */
export const askerOf = ({ userId, id }: TestToken) =>
  ({ via: 'token', userId, tokenId: id }) as const;

export const sessionCaller = (nonce: string): Caller => ({
  kind: 'session',
  nonceSha256: createHash('sha256').update(nonce).digest(),
  requestId: `req_${randomBytes(13).toString('hex')}`,
  origin: null,
});

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS' | 'HEAD';

/** A token calls with Basic, a nonce with the session's header, null without a credential. */
export type Credential = TestToken | { readonly nonce: string } | null;

/**
 * Calls the API in process: `callAs(app, token, 'PUT /v1/payments/…/capture', { headers })`. A body
 * that is a string or Buffer is sent unchanged, anything else as JSON.
 */
export async function callAs(
  app: FastifyInstance,
  credential: Credential,
  call: `${Method} ${string}`,
  given: { readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<LightMyRequestResponse> {
  const space = call.indexOf(' ');
  const { body } = given;
  const isRaw = typeof body === 'string' || Buffer.isBuffer(body);
  const payload = isRaw ? body : JSON.stringify(body);
  const headers = {
    ...(credential && 'authorization' in credential
      ? { authorization: credential.authorization }
      : {}),
    ...(credential && 'nonce' in credential
      ? { 'x-checkout-session-token': credential.nonce }
      : {}),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...given.headers,
  };
  return app.inject({
    method: call.slice(0, space) as Method,
    url: call.slice(space + 1),
    headers,
    ...(payload === undefined ? {} : { payload }),
  });
}

/**
 * Repeats a call while the database is too busy, which callers over HTTP get as 503. A deadlock
 * also becomes a 503, but is no sign of a busy machine: it means that locks were taken in another
 * order, so it is thrown.
 */
export async function repeatUntilServed<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!isUnavailable(error) || (error as { code?: unknown }).code === '40P01') throw error;
      // After an immediate refusal, the service needs a turn of the event loop before it can serve.
      await passTime(20, 'the pace of asking again');
    }
  }
}
