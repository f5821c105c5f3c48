// A database that answers but cannot serve: read-only, full or silent; and an unreachable vault.

import { scaled } from '@svc/tools/machine';
import { canMount, openFullDisk } from '@svc/tools/test-database/full-disk';
import { openSilentWay } from '@svc/tools/test-database/silent-proxy';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  aClient,
  aToken,
  callAs,
  freshDatabase,
  portsFor,
  type TestDatabase,
  type TestToken,
} from '../../../test/harness.ts';
import { plantInDatabase } from '../../../test/payments/planted.ts';
import { aPerson } from '../../../test/people/accounts.ts';
import { anApplication, Browser, startOauth } from '../../../test/people/oauth.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import { isUnavailable } from '../../engine/is-unavailable.ts';
import type { Ports } from '../../engine/ports.ts';
import { type Database, everyClient, openDatabase } from '../../storage/database/database.ts';
import { sql } from '../../storage/database/sql.ts';
import { startClosePaymentDays } from '../../workers/close-payment-days.ts';
import { startDeliverWebhooks } from '../../workers/deliver-webhooks.ts';
import { startExpireHolds } from '../../workers/expire-holds.ts';
import { startExpireSessions } from '../../workers/expire-sessions.ts';
import { startFinishDetachments } from '../../workers/finish-detachments.ts';
import { startReadNotices } from '../../workers/read-notices.ts';
import { startRemoveOld } from '../../workers/remove-old.ts';
import { startRenewSubscriptions } from '../../workers/renew-subscriptions.ts';
import { startSendMails } from '../../workers/send-mails.ts';
import { startSettleInDoubt } from '../../workers/settle-in-doubt.ts';
import { startSettleSetups } from '../../workers/settle-setups.ts';
import { startSweepOauth } from '../../workers/sweep-oauth.ts';

let db: TestDatabase;
let owner: Database;
let token: TestToken;
let nowMs = 0;
let isVaultReady = true;
let server: TestServer;
beforeAll(async () => {
  db = await freshDatabase();
  owner = openDatabase({ url: db.ownerUrl, poolSize: 1 });
  token = await aToken(db.database, await aClient(db.database));
  const ports = portsFor(db.database);
  const vault: Ports['vault'] = {
    ...ports.vault,
    look: async () => ({ state: isVaultReady ? 'ready' : 'not ready', aheadMs: 0 }),
  };
  server = await aServer({ ...ports, vault }, { nowMs: () => nowMs });
});
beforeEach(() => {
  // The clock passes the time for which readiness is cached, so that each test checks anew.
  nowMs += 10_000;
  isVaultReady = true;
});
afterAll(async () => {
  await server?.close();
  await owner?.close();
  await db?.close();
});

const readReadiness = async () => (await server.app.inject('/readyz')).statusCode;
const product = () => ({
  code: `p${nowMs}`,
  name: 'A mug',
  kind: 'item',
  prices: [{ currency: 'EUR', amount: 1 }],
});
const create = () => callAs(server.app, token, 'POST /v1/products', { body: product() });

/** Makes every write fail with this SQLSTATE during the work. */
async function withFailingWrites(state: string, work: () => Promise<void>): Promise<void> {
  const write = (name: string, text: string) => owner.write(sql(`test_${name}`, text), []);
  await write(
    `fail_${state}`,
    `create function test_fail_${state}() returns trigger language plpgsql as
     $$ begin raise exception 'as planted' using errcode = '${state}'; end $$`,
  );
  for (const table of ['clock_shift', 'products']) {
    await write(
      `fail_${state}_${table}`,
      `create trigger test_fail_${state} before insert or update on ${table}
         for each row execute function test_fail_${state}()`,
    );
  }
  try {
    await work();
  } finally {
    await write(`mend_${state}`, `drop function test_fail_${state} cascade`);
  }
}

describe('503 service_unavailable with Retry-After, and /readyz 503', () => {
  it.each([
    ['read-only, or a standby', '25006'],
    ['without room on its disk', '53100'],
    ['whose disk fails', '58030'],
  ])('a database that is %s', async (_, state) => {
    expect(await readReadiness()).toBe(200);
    nowMs += 1000;
    await withFailingWrites(state, async () => {
      const refused = await create();
      expect([refused.statusCode, refused.json()]).toMatchObject([
        503,
        { code: 'service_unavailable', retryable: true },
      ]);
      expect(refused.headers['retry-after']).toBe('1');
      expect(await readReadiness()).toBe(503);
    });
    nowMs += 1000;
    expect([await readReadiness(), (await create()).statusCode]).toEqual([200, 201]);
  });

  it.runIf(canMount())('a disk that is full, though rows still fit into its pages', async () => {
    const disk = await openFullDisk(db.url, 'svc_service');
    const database = openDatabase({ url: db.url });
    const own = await aServer(portsFor(database), { nowMs: () => nowMs });
    const isReady = async () => {
      nowMs += 1000;
      return (await own.app.inject('/readyz')).statusCode;
    };
    try {
      expect(await isReady()).toBe(200);
      disk.fill();
      expect(await isReady()).toBe(503);
      disk.free();
      expect(await isReady()).toBe(200);
    } finally {
      await own.close();
      await database.close();
      await disk.close();
    }
  });

  it('a server that has fallen silent', async () => {
    const way = await openSilentWay(db.url);
    const limits = { answerMs: 700, connectMs: 200 };
    const database = openDatabase({ url: way.url, limits });
    const own = await aServer(portsFor(database), { nowMs: () => nowMs });
    const isReady = async () => (await own.app.inject('/readyz')).statusCode;
    const createProduct = () => callAs(own.app, token, 'POST /v1/products', { body: product() });
    try {
      expect([await isReady(), (await createProduct()).statusCode]).toEqual([200, 201]);
      nowMs += 1000;
      way.hang();
      const startedMs = performance.now();
      const writing = database.transaction(everyClient, (tx) =>
        tx.query(sql('one', 'select 1'), []),
      );
      const [refused, health] = await Promise.all([
        createProduct(),
        isReady(),
        expect(writing).rejects.toSatisfy(isUnavailable),
      ]);
      // A statement is given up after 0.7 s; a read is begun again twice, each connection after 0.2 s.
      expect(performance.now() - startedMs).toBeLessThan(scaled(1300));
      expect([refused.statusCode, refused.json(), health]).toMatchObject([
        503,
        { code: 'service_unavailable', retryable: true },
        503,
      ]);
      expect(refused.headers['retry-after']).toBe('1');
      way.resume();
      nowMs += 1000;
      await expect.poll(isReady).toBe(200);
      nowMs += 1000;
      expect((await createProduct()).statusCode).toBe(201);
    } finally {
      way.resume();
      await own.close();
      await database.close();
      await way.close();
    }
  });

  it('a vault that is away: /readyz alone', async () => {
    isVaultReady = false;
    expect(await readReadiness()).toBe(503);
    expect((await create()).statusCode).toBe(201);
  });
});

/** Makes every session read-only during the work, as on a standby, and ends earlier sessions. */
async function withReadOnly(work: () => Promise<void>): Promise<void> {
  const switchReadOnly = (to: 'on' | 'off') =>
    plantInDatabase(db.ownerUrl, async (run) => {
      await run('set default_transaction_read_only = off');
      await run(`do $$ begin execute format(
        'alter database %I set default_transaction_read_only = ${to}', current_database()); end $$`);
      await run(`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`);
    });
  await switchReadOnly('on');
  try {
    await work();
  } finally {
    await switchReadOnly('off');
  }
}

describe('a database that takes no write at all', () => {
  it('503 with Retry-After to people who sign in and to applications that ask for access', async () => {
    const oauth = await startOauth(db);
    const person = await aPerson(oauth.ports);
    const { id } = await anApplication(oauth.ports, token, { redirectUris: [] });
    const signIn = async () => {
      const { email, password } = person;
      const said = await new Browser(oauth.address).fetch('/v1/account/sign-in', {
        method: 'POST',
        headers: { 'sec-fetch-site': 'same-origin', origin: oauth.baseUrl },
        body: { email, password },
      });
      const { code } = (await said.json()) as { code?: string };
      return [said.status, said.headers.get('retry-after'), code];
    };
    const askForDevice = async () => {
      const body = new URLSearchParams({ client_id: id, scope: 'mcp' });
      const said = await fetch(`${oauth.address}/oauth/device_authorization`, {
        method: 'POST',
        body,
      });
      return [said.status, said.headers.get('retry-after')];
    };
    try {
      await withReadOnly(async () => {
        await expect.poll(signIn).toEqual([503, '1', 'service_unavailable']);
        expect(await askForDevice()).toEqual([503, '1']);
      });
      await expect.poll(async () => (await signIn())[0]).toBe(200);
      await expect.poll(async () => (await askForDevice())[0]).toBe(200);
    } finally {
      await oauth.server.close();
    }
  });

  it('no worker ends: each tells what it met, and goes on once the database is mended', async () => {
    const starts = [
      startClosePaymentDays,
      startDeliverWebhooks,
      startExpireHolds,
      startExpireSessions,
      startFinishDetachments,
      startReadNotices,
      startRemoveOld,
      startRenewSubscriptions,
      startSendMails,
      startSettleInDoubt,
      startSettleSetups,
      startSweepOauth,
    ];
    const all = starts.map((start) => {
      const seen = { name: start.name, told: [] as unknown[], done: 0 };
      const countDone = async <T>(asked: Promise<T>): Promise<T> => {
        const answer = await asked;
        seen.done += 1;
        return answer;
      };
      const database: Database = {
        ...db.database,
        read: (query, values) => countDone(db.database.read(query, values)),
        write: (query, values) => countDone(db.database.write(query, values)),
        transaction: (client, work, settings) =>
          countDone(db.database.transaction(client, work, settings)),
      };
      const error = ({ err }: { err?: unknown }) => void seen.told.push(err);
      const log = { error, warn: error, info: () => undefined };
      const options = { log, pollMs: 20, onNudge: () => () => undefined };
      return { seen, worker: start(portsFor(database), options) };
    });
    const namesOf = (isSo: (seen: (typeof all)[number]['seen']) => boolean) =>
      all.filter(({ seen }) => isSo(seen)).map(({ seen }) => seen.name);
    const every = starts.map(({ name }) => name);
    try {
      await expect.poll(() => namesOf(({ done }) => done > 0)).toEqual(every);
      await withReadOnly(async () => {
        await expect.poll(() => namesOf(({ told }) => told.length > 0).length).toBeGreaterThan(6);
      });
      for (const { seen } of all) seen.done = 0;
      await expect
        .poll(() => namesOf(({ done }) => done > 1), { timeout: scaled(20_000) })
        .toEqual(every);
      const met = all.flatMap(({ seen }) => seen.told);
      expect(met.filter((one) => !isUnavailable(one))).toEqual([]);
    } finally {
      await Promise.all(all.map(({ worker }) => worker.stop()));
    }
  });
});

it('/readyz looks at most once a second', async () => {
  expect(await readReadiness()).toBe(200);
  isVaultReady = false;
  nowMs += 900;
  expect(await readReadiness()).toBe(200);
  nowMs += 100;
  expect(await readReadiness()).toBe(503);
});

it.each(['timeout expired', 'Query read timeout', 'timeout exceeded when trying to connect'])(
  'the driver’s "%s" is no bug',
  (words) => {
    expect(isUnavailable(new Error(words))).toBe(true);
  },
);
