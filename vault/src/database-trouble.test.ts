// A database that is away, silent, read-only or full: what the card form, the service and a proxy hear.

import { randomUUID } from 'node:crypto';
import { canMount, openFullDisk } from '@svc/tools/test-database/full-disk';
import { openSilentWay, type SilentWay } from '@svc/tools/test-database/silent-proxy';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  postCard,
  redeem,
  sha256,
  startTestVault,
  type TestVault,
  type VaultAnswer,
  vaultDatabase,
} from '../test/harness.ts';
import { databaseLimits, openPool } from './database.ts';

let database: Awaited<ReturnType<typeof vaultDatabase>>;
let admin: pg.Client;
let way: SilentWay;
let vault: TestVault;
beforeAll(async () => {
  database = await vaultDatabase();
  admin = new pg.Client({ connectionString: database.adminUrl });
  await admin.connect();
  way = await openSilentWay(database.url);
  vault = await startTestVault({ databaseUrl: way.url }, { connectMs: 700, answerMs: 700 });
});
afterEach(() => way.resume());
afterAll(async () => {
  await vault?.close();
  await way?.close();
  await admin?.end();
  await database?.drop();
});

const ready = (base: string) => fetch(`${base}/readyz`).then(({ status }) => status);
const isReady = async () => (await ready(vault.url)) === 200;
const statuses = () => Promise.all([vault.url, vault.internalUrl].map(ready));
const redeemUnknownToken = () =>
  redeem(vault, {
    tokenSha256: sha256('no token'),
    sessionId: randomUUID(),
    clientId: randomUUID(),
    operationId: randomUUID(),
    claimedBy: randomUUID(),
  });

const refused = ({ status, headers, body }: VaultAnswer) => [
  status,
  body.code,
  body.retryable,
  headers.get('retry-after'),
];
const unavailable = [503, 'service_unavailable', true, '1'];

async function expectUnavailable(): Promise<void> {
  const answers = await Promise.all([postCard(vault), redeemUnknownToken()]);
  expect(answers.map(refused)).toEqual([unavailable, unavailable]);
  await expect.poll(statuses).toEqual([503, 503]);
}

async function expectRecovered(): Promise<void> {
  await expect.poll(isReady).toBe(true);
  expect((await postCard(vault)).status).toBe(200);
  expect((await redeemUnknownToken()).status).toBe(409);
}

const everyRow = ['session_attempts', 'card_tokens'];

describe('503 service_unavailable with Retry-After, and /readyz 503', () => {
  it.each([
    ['without room on its disk', '53100'],
    ['whose disk fails', '58030'],
    ['that waits for a lock too long', '55P03'],
  ])('a database %s', async (_, state) => {
    await expectRecovered();
    await admin.query(`create function vault.fail() returns trigger language plpgsql as
      $$ begin raise exception 'as planted' using errcode = '${state}'; end $$`);
    for (const table of everyRow) {
      await admin.query(`create trigger fail before insert or update on vault.${table}
        for each statement execute function vault.fail()`);
    }
    await expectUnavailable();
    await admin.query('drop function vault.fail cascade');
    await expectRecovered();
  });

  it.runIf(canMount())('a disk that is full, though rows still fit into its pages', async () => {
    const disk = await openFullDisk(database.url, 'svc_vault');
    const own = await startTestVault({ databaseUrl: database.url });
    try {
      expect(await ready(own.url)).toBe(200);
      disk.fill();
      await expect.poll(() => ready(own.url)).toBe(503);
      disk.free();
      await expect.poll(() => ready(own.url)).toBe(200);
    } finally {
      await own.close();
      await disk.close();
    }
  });

  it('a database that takes no writes, as a standby does not', async () => {
    const turn = async (to: string) => {
      await admin.query(`do $$ begin execute format(
        'alter database %I set default_transaction_read_only = ${to}', current_database()); end $$`);
      await admin.query(`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`);
    };
    await turn('on');
    // What is left of the connections from before is refused likewise.
    await expectUnavailable();
    await admin.query('set default_transaction_read_only = off');
    await turn('off');
    await expectRecovered();
  });

  it('a server that has fallen silent', async () => {
    await expectRecovered();
    way.hang();
    await expectUnavailable();
    way.resume();
    await expectRecovered();
  });

  it('a statement that is slow has longer than the server gives it', async () => {
    const pool = openPool(database.url);
    const { rows } = await pool.query(
      `select setting::int as ms from pg_settings where name = 'statement_timeout'`,
    );
    expect(databaseLimits).toEqual({ connectMs: 5000, answerMs: 7000 });
    expect(rows[0].ms).toBeLessThan(databaseLimits.answerMs);
    await pool.end();
  });

  it('a pool outlives the end of a connection that nobody uses', async () => {
    const pool = openPool(database.url);
    const { rows } = await pool.query<{ pid: number }>('select pg_backend_pid() as pid');
    await admin.query('select pg_terminate_backend($1)', [rows[0]?.pid]);
    await expect.poll(() => pool.totalCount).toBe(0);
    await pool.query('select');
    await pool.end();
  });

  it('a server that is not there', async () => {
    await way.close();
    try {
      await expectUnavailable();
    } finally {
      way = await openSilentWay(database.url);
    }
  });
});

it('/readyz leaves nothing behind of what it tries', async () => {
  const own = await startTestVault();
  const client = new pg.Client({ connectionString: own.database.adminUrl });
  await client.connect();
  await Promise.all(Array.from({ length: 50 }, () => ready(own.url)));
  const { rows } = await client.query('select count(*)::int as rows from vault.session_attempts');
  expect(rows).toEqual([{ rows: 0 }]);
  await client.end();
  await own.close();
});
