// Reads over a few pipelined sockets, each of which may die. Reliability §2.1: F2.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshDatabase, type TestDatabase } from '../../../test/harness.ts';
import { type Database, openDatabase } from './database.ts';
import { sql } from './sql.ts';

const killOthers = sql(
  'test_kill_readers',
  `select pg_terminate_backend(pid) from pg_stat_activity
   where datname = current_database() and application_name = 'svc' and pid <> pg_backend_pid()`,
);
const two = sql<{ two: number }>('test_read_two', 'select $1::int * 2 as two');
const broken = sql('test_read_broken', 'select 1 / $1::int');

let db: TestDatabase;
let database: Database;
let other: Database;
beforeAll(async () => {
  db = await freshDatabase();
  database = db.database;
  other = openDatabase({ url: db.url, applicationName: 'other' });
});
afterAll(async () => {
  await other.close();
  await db.close();
});

describe('read', () => {
  it('is answered rightly while its sockets are killed', async () => {
    const wrong: unknown[] = [];
    for (let round = 0; round < 60; round++) {
      const reads = Array.from({ length: 20 }, async (_, n) => {
        const rows = await database.read(two, [n]).catch((error: Error) => error.message);
        if ((rows as { two: number }[])[0]?.two !== n * 2) wrong.push(rows);
      });
      const killing = round % 12 === 0 ? other.write(killOthers, []) : undefined;
      await Promise.all([...reads, killing]);
    }
    expect(wrong).toEqual([]);
  });

  it('is asked again when a pooler says that it lost its connection to the server', async () => {
    const owner = openDatabase({ url: db.ownerUrl });
    for (const text of [
      'create sequence test_losses',
      `create function test_pooler() returns int language plpgsql as $$ begin
         if nextval('test_losses') <= 2 then
           raise 'server conn crashed?' using errcode = '08P01';
         end if;
         return 1;
       end $$`,
    ])
      await owner.write(sql(`test_${text.slice(7, 15)}`, text), []);
    await owner.close();
    expect(await database.read(sql('test_pooler', 'select test_pooler() as n'), [])).toEqual([
      { n: 1 },
    ]);
  });

  it('a failing statement fails alone', async () => {
    const bad = expect(database.read(broken, [0])).rejects.toMatchObject({ code: '22012' });
    const good = await Promise.all([1, 2, 3].map((n) => database.read(two, [n])));
    expect(good).toEqual([[{ two: 2 }], [{ two: 4 }], [{ two: 6 }]]);
    await bad;
  });
});
