import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { aClient, freshDatabase, type TestDatabase } from '../../test/harness.ts';
import { openDatabase } from '../storage/database/database.ts';
import { assertMode } from './database-mode.ts';
import { migrateDatabase } from './migrate-database.ts';

let db: TestDatabase;
beforeEach(async () => {
  db = await freshDatabase();
});
afterEach(() => db.close());

describe('a start refuses a database', () => {
  it('of another mode than the one that the first start stored', async () => {
    await assertMode({ mode: 'sandbox' }, db.database);
    await assertMode({ mode: 'sandbox' }, db.database);
    for (const mode of ['live', 'test'] as const) {
      await expect(assertMode({ mode }, db.database)).rejects.toThrow(
        `this database is of sandbox mode, and SVC_MODE is ${mode}: set SVC_MODE=sandbox, or name another database`,
      );
    }
  });

  it('whose merchants take no real money, in live mode', async () => {
    await aClient(db.database);
    await expect(assertMode({ mode: 'live' }, db.database)).rejects.toThrow(
      'this database has merchants of sandbox or test mode: live mode needs a database of its own',
    );
  });

  it.each([
    ['nobody there', 'postgres://svc:hunter2@127.0.0.1:1/svc', /ECONNREFUSED/],
    ['no such folder', 'postgres://svc:hunter2@/svc?host=/nonexistent', /ENOENT/],
  ])('that it cannot reach, without its password: %s', async (_, url, reason) => {
    const database = openDatabase({ url });
    const config = { databaseUrl: url, databaseOwnerUrl: url };
    const { message } = await migrateDatabase(config, database).then(
      () => new Error('not refused'),
      (error: Error) => error,
    );
    await database.close();
    expect(message).toMatch(/^the database of DATABASE_URL cannot be used: /);
    expect(message).toMatch(reason);
    expect(message).not.toContain('hunter2');
  });
});
