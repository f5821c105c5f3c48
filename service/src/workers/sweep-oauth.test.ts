import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  aClient,
  aToken,
  freshDatabase,
  moveClock,
  portsFor,
  type TestDatabase,
} from '../../test/harness.ts';
import { aGrant } from '../../test/people/grants.ts';
import { sql } from '../storage/database/sql.ts';
import { startSweepOauth } from './sweep-oauth.ts';

let test: TestDatabase;
beforeAll(async () => {
  test = await freshDatabase();
});
afterAll(() => test?.close());

const count = sql<{ records: number; grants: number }>(
  'test_sweep_count',
  `select (select count(*)::int from oauth_records) as records,
     (select count(*)::int from oauth_grants) as grants`,
);

describe('sweep-oauth', () => {
  it('deletes what nobody can use any more, and nothing before', async () => {
    const ports = portsFor(test.database);
    const client = await aClient(test.database);
    const user = { id: (await aToken(test.database, client)).userId };
    const createGrant = () => aGrant(ports, { user, client, scopes: ['mcp'] });
    await Promise.all([createGrant(), createGrant(), createGrant()]);
    const errors: object[] = [];
    let passes = 0;
    const database: typeof ports.database = {
      ...ports.database,
      write: (query, values) => {
        passes += 1;
        return ports.database.write(query, values);
      },
      transaction: (client, work) => {
        passes += 1;
        return ports.database.transaction(client, work);
      },
    };
    const worker = startSweepOauth(
      { database },
      {
        log: { error: (facts) => void errors.push(facts) },
        pollMs: 10,
      },
    );
    const countLeft = async () => (await test.database.read(count, []))[0];
    const waitForCounts = (records: number, grants: number) =>
      expect.poll(countLeft).toEqual({ records, grants });
    await moveClock(test.database, 1.5 * 3_600_000);
    await createGrant();
    const before = passes;
    await expect.poll(() => passes).toBeGreaterThan(before + 2);
    expect(await countLeft()).toEqual({ records: 4, grants: 4 });
    await moveClock(test.database, 3_600_000);
    await waitForCounts(1, 4);
    await moveClock(test.database, 31 * 86_400_000);
    await waitForCounts(0, 0);
    await worker.stop();
    expect(errors).toEqual([]);
  });
});
