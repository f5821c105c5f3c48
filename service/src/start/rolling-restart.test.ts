// Processes behind a proxy are replaced one after the other, under constant requests.

import { scaled } from '@svc/tools/machine';
import { replaceEach, SmallProxy } from '@svc/tools/small-proxy';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freshDatabase, type TestDatabase } from '../../test/harness.ts';
import { type ServiceProcesses, serviceProcesses } from '../../test/service-processes.ts';
import { aReadyVault, type Receiver } from '../../test/webhooks/webhooks.ts';

let db: TestDatabase;
let processes: ServiceProcesses;
let vault: Receiver;
beforeAll(async () => {
  db = await freshDatabase();
  processes = serviceProcesses(db);
  vault = await aReadyVault();
});
afterAll(async () => {
  processes?.kill();
  await vault?.close();
  await db?.close();
});

it('with SVC_DRAIN_MS no request is lost', async () => {
  const env = {
    SVC_DRAIN_MS: String(Math.min(15_000, scaled(2000))),
    SVC_VAULT_INTERNAL_URL: vault.url,
    SVC_LIMITS: 'off',
  };
  const first = await Promise.all([processes.start(env), processes.start(env)]);
  const proxy = new SmallProxy([...first]);
  const port = await proxy.listen();
  await Promise.all(first.map((url) => proxy.ready(url)));
  const { counts, exits } = await replaceEach(
    proxy,
    { start: () => processes.start(env), stop: (url) => processes.stop(url) },
    // A call with a body, which a proxy must not repeat.
    async () => {
      const { status } = await fetch(`http://127.0.0.1:${port}/v1/checkouts/sessions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{}',
      });
      return status;
    },
  );
  proxy.close();
  expect(proxy.lost).toEqual([]);
  expect(exits).toEqual([0, 0]);
  expect(Object.keys(counts)).toEqual(['400']);
  expect(counts[400]).toBeGreaterThan(50);
}, 120_000);
