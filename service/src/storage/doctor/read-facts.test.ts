// What svc doctor reads of a server with readers of its log that are no standbys. On a server of its own, for
// every database of a server shows them.

import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { judgeReplication } from '../../engine/runs/doctor/judge-lag.ts';
import { type Postgres, startPostgres } from '../../start/postgres/index.ts';
import { type Database, openDatabase } from '../database/database.ts';
import { examineServer } from './read-facts.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-doctor-'));
let server: Postgres;
// A start that took longer than its hook is ended all the same.
let starting: Promise<Postgres> | undefined;
let database: Database;
const readers: pg.Client[] = [];
beforeAll(async () => {
  starting = startPostgres({ dataDir: folder, settings: { fsync: 'off' } });
  server = await starting;
  database = openDatabase({ url: server.url('postgres', 'postgres') });
  const rules = join(server.home, 'cluster/data/pg_hba.conf');
  appendFileSync(rules, 'local replication postgres scram-sha-256\n');
  const admin = await connect();
  await admin.query('select pg_reload_conf()');
});
afterAll(async () => {
  for (const reader of readers) await reader.end();
  await database?.close();
  const started = await starting?.catch(() => undefined);
  await started?.stop();
  // Started by root, the server keeps its database outside of its folder.
  for (const left of [folder, started?.home ?? folder])
    rmSync(left, { recursive: true, force: true });
});

async function connect(given: object = {}): Promise<pg.Client> {
  const connectionString = server.url('postgres', 'postgres');
  const client = new pg.Client({ connectionString, ...given });
  client.on('error', () => undefined);
  await client.connect();
  readers.push(client);
  return client;
}

type Wire = {
  once(name: 'replicationStart', listener: () => void): void;
  sendCopyFromChunk(chunk: Buffer): void;
  readonly stream: { destroy(): void };
};
const wireOf = (client: pg.Client) => (client as unknown as { connection: Wire }).connection;

/** Speaks the protocol of a reader; PostgreSQL's documentation, 54.4. */
async function readLog(name: string): Promise<pg.Client> {
  const reader = await connect({ replication: 'true', application_name: name });
  const [system] = (await reader.query('IDENTIFY_SYSTEM')).rows;
  const started = new Promise<void>((resolve) => wireOf(reader).once('replicationStart', resolve));
  reader.query(`START_REPLICATION PHYSICAL ${system.xlogpos}`).catch(() => undefined);
  await started;
  return reader;
}

/** Tells how far the reader is: what it has written, and perhaps flushed; it replays nothing. */
function report(reader: pg.Client, position: string, isFlushed: boolean): void {
  const [high = '', low = ''] = position.split('/');
  const at = (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`);
  const status = Buffer.alloc(34);
  status.write('r');
  status.writeBigUInt64BE(at, 1);
  if (isFlushed) status.writeBigUInt64BE(at, 9);
  wireOf(reader).sendCopyFromChunk(status);
}

const find = async (name: string) => {
  const { standbys } = await examineServer(database);
  return standbys.find((each) => each.name === name);
};

describe('examineServer', () => {
  // pg_receivewal tells what it has flushed only with a slot, or with --synchronous.
  it.each([
    ['flushed', true],
    ['written', false],
  ])('a reader that replays nothing is told by what it has %s', async (_, isFlushed) => {
    const reader = await readLog('pg_receivewal');
    const admin = await connect();
    const { rows } = await admin.query('select pg_current_wal_flush_lsn()::text as at');
    report(reader, rows[0].at, isFlushed);
    await expect
      .poll(() => find('pg_receivewal'))
      .toMatchObject({ behindBytes: expect.any(Number) });
    expect(judgeReplication(await examineServer(database)).map(({ said }) => said)).toEqual([
      'standbys that keep up: 1',
    ]);
    wireOf(reader).stream.destroy();
    await expect.poll(() => find('pg_receivewal')).toBeUndefined();
  });

  it('a backup that is being made is no standby', async () => {
    const backup = await connect({ replication: 'true', application_name: 'pg_basebackup' });
    // It waits for a checkpoint that takes its time.
    backup.query('BASE_BACKUP').catch(() => undefined);
    const admin = await connect();
    const states = async () =>
      (await admin.query('select state from pg_stat_replication order by pid desc')).rows;
    await expect.poll(states).toContainEqual({ state: 'backup' });
    expect(await find('pg_basebackup')).toBeUndefined();
    wireOf(backup).stream.destroy();
  });

  it('a role that may not see it is told of a standby of which nothing is known', async () => {
    await readLog('two');
    const stranger = openDatabase({ url: server.url('svc_service') });
    try {
      const { standbys } = await examineServer(stranger);
      expect(standbys).toContainEqual(expect.objectContaining({ behindBytes: null }));
    } finally {
      await stranger.close();
    }
  });
});
