import { afterAll, beforeAll, expect, it } from 'vitest';
import { freshDatabase, newId, type TestDatabase } from '../../../test/harness.ts';
import { plantInDatabase } from '../../../test/payments/planted.ts';
import { openSnapshot } from './audit.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await freshDatabase();
  await plantInDatabase(db.ownerUrl, (run) =>
    run(
      `insert into payments (id, client_id, type, provider, gateway_id, amount_minor, currency,
         capture_method, status, is_live, created_at, updated_at)
       values ($1, $2, 'purchase', 'cardprovider', $3, 100, 'EUR', 'manual', 'failed', false, now(), now())`,
      [newId(), newId(), newId()],
    ),
  );
});
afterAll(() => db?.close());

it('a snapshot sees every row, for as long as it takes, whatever its address asks for', async () => {
  const mark = db.url.includes('?') ? '&' : '?';
  const asked = `statement_timeout=1&options=-c%20svc.client%3D${newId()}`;
  const snapshot = await openSnapshot(db.url + mark + asked);
  try {
    expect(snapshot.payments).toBe(1);
    const span = { after: newId(), until: newId() };
    const rows = snapshot.rows(
      `select current_setting('statement_timeout') as subject, '' as found`,
      span,
    );
    expect((await rows.next()).value).toEqual([{ subject: '0', found: '' }]);
  } finally {
    await snapshot.close();
  }
});
