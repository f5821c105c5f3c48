// Runs once before and after all tests: starts the server and builds, and removes what killed runs have
// left.
import { join } from 'node:path';
import { isAlive } from '@svc/service/start/postgres/processes';
import pg from 'pg';
import { compileCache } from '../../entry/compile-cache.mjs';
import { machine, variable } from './cluster.ts';
import { openFixture } from './fixture.ts';
import { startKeeper } from './keeper.ts';

const keptTemplates = 12;

export default async function setUp(): Promise<() => Promise<void>> {
  // Called for each project of vitest.config.ts.
  if (process.env[variable]) return async () => undefined;
  // Set before the first process is started, also when vitest was called without `npm test`.
  Object.assign(process.env, compileCache(join(import.meta.dirname, '../../..')));
  const keeper = startKeeper();
  const { stop, ...address } = await openFixture();
  process.env[variable] = JSON.stringify(address);
  await sweep(address.admin);
  return async () => {
    await stop();
    keeper.release();
  };
}

/** Drops the databases of processes that have ended, and all templates except the newest. */
export async function sweep(admin: string): Promise<void> {
  const client = new pg.Client({ connectionString: admin });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string; is_template: boolean }>(`
      select datname as name, datistemplate as is_template from pg_database
      where datname like 'svc\\_t%' order by oid desc`);
    const clones = rows.filter(({ name }) => {
      const [, host, pid] = /^svc_test_([0-9a-f]+)_(\d+)_/.exec(name) ?? [];
      return host === machine && !isAlive(Number(pid));
    });
    const templates = rows.filter((row) => row.is_template).slice(keptTemplates);
    for (const { name, is_template } of [...clones, ...templates]) {
      const database = pg.escapeIdentifier(name);
      if (is_template) await client.query(`alter database ${database} with is_template false`);
      await client.query(`drop database if exists ${database} with (force)`);
    }
  } finally {
    await client.end();
  }
}
