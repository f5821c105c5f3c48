import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isMigrated, migrate } from '../src/storage/database/migrate.ts';
import { sql } from '../src/storage/database/sql.ts';
import {
  aClient,
  aCustomer,
  aGateway,
  aProduct,
  aToken,
  freshDatabase,
  moveClock,
  repeatUntilServed,
  type TestDatabase,
} from './harness.ts';

const clock = sql<{ now: Date }>('test_clock', 'select svc_clock() as now');
const forget = sql('test_forget', 'delete from schema_migrations');

describe('the harness', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await freshDatabase();
  });
  afterAll(() => db.close());

  it('gives a migrated database, and migrating again changes nothing', async () => {
    expect(await isMigrated(db.database)).toBe(true);
    await Promise.all([migrate(db.ownerUrl), migrate(db.ownerUrl)]);
    expect(await isMigrated(db.database)).toBe(true);
  });

  it('builds rows as the service role', async () => {
    const client = await aClient(db.database);
    await aToken(db.database, client);
    await aGateway(db.database, client);
    await aProduct(db.database, client);
    await aCustomer(db.database, client);
  });

  it('moves the one clock', async () => {
    const [before] = await db.database.read(clock, []);
    await moveClock(db.database, 3_600_000);
    const [after] = await db.database.read(clock, []);
    expect(Number(after?.now) - Number(before?.now)).toBeGreaterThanOrEqual(3_600_000);
  });
});

describe('isMigrated', () => {
  it('is false while a migration of this version is missing', async () => {
    const db = await freshDatabase();
    await db.database.write(forget, []);
    expect(await isMigrated(db.database)).toBe(false);
    await db.close();
  });
});

describe('untilServed', () => {
  it('asks again at a later turn of the event loop, and after a deadlock not at all', async () => {
    const error = (code: string) => Object.assign(new Error(code), { code });
    let isFree = false;
    setImmediate(() => {
      isFree = true;
    });
    const askUntilFree = async () => {
      if (!isFree) throw error('57014');
      return 'served';
    };
    expect(await repeatUntilServed(askUntilFree)).toBe('served');
    let asked = 0;
    const locked = async () => {
      asked += 1;
      if (asked === 1) throw error('40P01');
    };
    await expect(repeatUntilServed(locked)).rejects.toMatchObject({ code: '40P01' });
  });
});
