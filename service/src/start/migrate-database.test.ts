import pg from 'pg';
import { expect, it } from 'vitest';
import { freshDatabase } from '../../test/harness.ts';
import { reasonOf } from './migrate-database.ts';

// Behind an old pooler two clients meet on one session.
it('a pooler that mixes up prepared statements is named, with the remedy', async () => {
  const db = await freshDatabase();
  const session = new pg.Client({ connectionString: db.url });
  await session.connect();
  try {
    await session.query('prepare svc_twice as select 1');
    for (const statement of ['prepare svc_twice as select 1', 'execute svc_never']) {
      const error: unknown = await session.query(statement).catch((refused: unknown) => refused);
      expect(reasonOf(error)).toContain('Use pgbouncer 1.21 or later');
    }
  } finally {
    await session.end();
    await db.close();
  }
});
