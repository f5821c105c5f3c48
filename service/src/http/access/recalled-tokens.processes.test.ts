// Two processes of the service over one database: a token that one process ends is refused by the
// other, which cached it a moment ago.

import { byLevel } from '@svc/tools/levels/level';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  aClient,
  aGateway,
  aToken,
  freshDatabase,
  newId,
  type TestClient,
  type TestDatabase,
} from '../../../test/harness.ts';
import { aStoredPayment } from '../../../test/payments/stored-rows.ts';
import { aGrant } from '../../../test/people/grants.ts';
import { type ServiceProcesses, serviceProcesses } from '../../../test/service-processes.ts';
import { sql } from '../../storage/database/sql.ts';

let processes: ServiceProcesses;
let db: TestDatabase;
let client: TestClient;
let paymentId: string;
let one: string;
let two: string;

beforeAll(async () => {
  db = await freshDatabase();
  processes = serviceProcesses(db);
  client = await aClient(db.database);
  const gateway = await aGateway(db.database, client);
  const held = { gateway, status: 'authorized', captureMethod: 'manual' } as const;
  ({ id: paymentId } = await aStoredPayment(db.database, client, held));
  const later = "update payments set authorization_expires_at = now() + interval '1 hour'";
  await db.database.write(sql('test_recalled_hold', later), []);
  [one, two] = (await Promise.all([
    processes.start({ SVC_LIMITS: 'off' }),
    processes.start({ SVC_LIMITS: 'off' }),
  ])) as [string, string];
});
afterAll(async () => {
  processes?.kill();
  await db?.close();
});

const rounds = byLevel({ gate: 80, proof: 1000 });

it('every time: deleted in one process, 401 in the other at the very next request', async () => {
  const owner = await aToken(db.database, client);
  const user = { id: owner.userId };
  const grant = await aGrant({ database: db.database }, { user, client, scopes: ['mcp'] });
  const statusOf = async (url: string, init: RequestInit) => {
    const answer = await fetch(url, init);
    await answer.arrayBuffer();
    return answer.status;
  };
  const readAlternately = async (round: number) => {
    const { id, authorization } = await aToken(db.database, client, { user });
    const readStatus = () =>
      statusOf(`${two}/v1/payments/${paymentId}`, { headers: { authorization } });
    const capture = () =>
      statusOf(`${two}/v1/payments/${paymentId}/capture`, {
        method: 'PUT',
        headers: { authorization, 'content-type': 'application/json', 'idempotency-key': newId() },
        body: '{}',
      });
    const next = round % 2 === 0 ? readStatus : capture;
    const before = [await readStatus(), await readStatus()];
    const deleted = await statusOf(`${one}/v1/api-tokens/${id}`, {
      method: 'DELETE',
      headers: { authorization: grant.authorization },
    });
    expect([...before, deleted, await next()], `round ${round}`).toEqual([200, 200, 204, 401]);
  };
  // A few callers run in parallel.
  const lane = async (first: number) => {
    for (let round = first; round < rounds; round += 4) await readAlternately(round);
  };
  await Promise.all([0, 1, 2, 3].map(lane));
}, 180_000);
