import { afterAll, beforeAll, expect, it } from 'vitest';
import { freshDatabase, newId, type TestDatabase } from '../../test/harness.ts';
import type { Gateway } from '../engine/ports.ts';
import { listHoldups } from '../storage/gateways/provider-pace.ts';
import { providerHoldups } from './provider-holdups.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await freshDatabase();
});
afterAll(() => db?.close());

it('warns once a minute with all that was refused since, and stores what each process holds back', async () => {
  const lines: object[] = [];
  const clock = { ms: 0 };
  const log = { warn: (message: string, facts?: object) => void lines.push({ message, ...facts }) };
  const open = () =>
    providerHoldups({ database: db.database, processId: newId(), log, nowMs: () => clock.ms });
  const [one, other] = [open(), open()];
  const gateway: Gateway = {
    ...{ id: newId(), clientId: newId(), provider: 'cardprovider', accountId: 'acct_1' },
    ...{ publishableKey: 'pk_test_1', secretKey: 'sk_test_1' },
  };
  const holdup = { accountId: 'acct_1', waiting: 3, longestMs: 1200.5, factor: 0.7, refused: 2 };
  await one(gateway, holdup);
  clock.ms = 30_000;
  await one(gateway, holdup);
  expect(lines).toEqual([
    {
      message: 'calls to the card provider wait for their turn',
      ...{ gatewayId: gateway.id, accountId: 'acct_1', waiting: 3, longestMs: 1201, refused: 2 },
      ...{ ratePercent: 70, remedy: 'docs/guides/provider-limits.md' },
    },
  ]);
  await other(gateway, { ...holdup, waiting: 4, longestMs: 5000, factor: 1 });
  expect(await listHoldups(db.database)).toMatchObject([
    { accountId: 'acct_1', waiting: 7, longestMs: 5000, factor: 0.7, postponed: 0 },
  ]);
  clock.ms = 61_000;
  await one(gateway, holdup);
  expect(lines.at(-1)).toMatchObject({ refused: 4 });
  for (const tell of [one, other]) {
    await tell(gateway, { accountId: 'acct_1', waiting: 0, longestMs: 0, factor: 1, refused: 0 });
  }
  expect(lines).toHaveLength(3);
  expect(await listHoldups(db.database)).toMatchObject([{ waiting: 0, toldAt: expect.any(Date) }]);
});
