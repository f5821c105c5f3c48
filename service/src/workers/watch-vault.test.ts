// What service and vault tell each other, between a real vault and vaults with a planted difference.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startVault } from '@svc/vault';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshDatabase, type TestDatabase } from '../../test/harness.ts';
import { openVault } from '../providers/vault.ts';
import { startWatchVault } from './watch-vault.ts';

const sharedKey = Buffer.alloc(32, 1);
const vaultLines: string[] = [];
let db: TestDatabase;
let vault: Awaited<ReturnType<typeof startVault>>;
/** Stands in for a vault whose clock is away, and says what the test sets. */
let answer: object;
let status = 200;
const other = createServer((_, reply) => {
  reply.writeHead(status).end(JSON.stringify(answer));
});
let otherUrl: string;
beforeAll(async () => {
  db = await freshDatabase();
  vault = await startVault(
    {
      ...{ host: '127.0.0.1', port: 0, internalPort: 0, origin: undefined, trustedProxies: 0 },
      ...{ databaseUrl: db.vaultUrl, key: Buffer.alloc(32, 2), sharedKey, drainMs: 0 },
      ...{ providerUrl: 'http://127.0.0.1:1', providerScriptUrl: 'http://127.0.0.1:1/v3/' },
      ...{ mode: 'sandbox', driver: 'own-vault' },
    },
    { write: (line) => vaultLines.push(JSON.parse(line).msg) },
  );
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  otherUrl = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
});
afterAll(async () => {
  other.closeAllConnections();
  other.close();
  await vault?.close();
  await db?.close();
});

const portOf = (internalUrl: string, given: { sharedKey?: Buffer; mode?: 'test' } = {}) =>
  openVault({
    ...{ formOrigin: 'http://127.0.0.1', checkoutOrigin: 'http://127.0.0.1', internalUrl },
    ...{ sharedKey, mode: 'sandbox', ...given },
  });

/** Watches until the log says this often something, and returns what it says. */
async function watch(port: ReturnType<typeof portOf>, lines = 1, meanwhile?: () => void) {
  const said: string[] = [];
  let looks = 0;
  const counted = {
    ...port,
    look: () => {
      looks += 1;
      return port.look();
    },
  };
  const log = {
    error: (_: object, line: string) => {
      said.push(line);
      meanwhile?.();
    },
    info: (_: object, line: string) => said.push(line),
  };
  const worker = startWatchVault({ vault: counted }, { log, pollMs: 5, restMs: 5 });
  await expect.poll(() => said.length).toBeGreaterThanOrEqual(lines);
  const seen = looks;
  await expect.poll(() => looks).toBeGreaterThan(seen + 3);
  await worker.stop();
  await port.close();
  return said;
}

describe('watch-vault', () => {
  it('names another shared key once, on both sides, and the remedy', async () => {
    const port = portOf(vault.internalUrl, { sharedKey: Buffer.alloc(32, 9) });
    expect(await port.look()).toEqual({ state: 'another shared key', aheadMs: 0 });
    expect(await watch(port)).toEqual([
      'the vault has another shared key: no card form opens, and no card is redeemed. To mend: give ' +
        'SVC_VAULT_SHARED_KEY of the service and VAULT_SHARED_KEY of the vault one value, and restart both',
    ]);
    const complaints = vaultLines.filter((line) => line.includes('another shared key'));
    expect(complaints).toEqual([expect.stringContaining('restart both')]);
  });

  it('names another mode', async () => {
    const port = portOf(vault.internalUrl, { mode: 'test' });
    expect(await watch(port)).toEqual([expect.stringMatching(/^the vault runs in another mode/)]);
  });

  it.each([
    [1_200_000, 'another time', /^the vault's clock is 1200 s ahead: it refuses/],
    [-1_200_000, 'another time', /^the vault's clock is 1200 s behind: it refuses/],
    [12_000, 'ready', /^the vault's clock is 1[12] s ahead: from 30 s on/],
  ])('a clock that is %d ms away is "%s", and is told', async (offsetMs, state, line) => {
    const port = portOf(otherUrl);
    answer = {
      get time() {
        return Date.now() + offsetMs;
      },
    };
    expect((await port.look()).state).toBe(state);
    expect(await watch(port)).toEqual([expect.stringMatching(line)]);
  });

  it('the vault names a service whose clock is away', async () => {
    const tell = (time: number) =>
      fetch(`${vault.internalUrl}/readyz`, {
        headers: { 'svc-agreement': `key=0123456789abcdef,t=${time}` },
      });
    await tell(Date.now() - 20_000);
    expect(vaultLines.join()).not.toContain('the clock of the service');
    await tell(Date.now() - 1_200_000);
    await tell(Date.now() - 1_200_000);
    const complaints = vaultLines.filter((line) => line.includes('the clock of the service'));
    expect(complaints).toEqual([expect.stringMatching(/is 1200 s behind: its calls are refused/)]);
  });

  it('the public port tells no fingerprint', async () => {
    const inside = await (await fetch(`${vault.internalUrl}/readyz`)).json();
    const outside = await (await fetch(`${vault.url}/readyz`)).json();
    expect(inside).toEqual({
      ...{ status: 'ready', version: expect.any(String), mode: 'sandbox' },
      ...{ key: expect.stringMatching(/^[0-9a-f]{16}$/), time: expect.any(Number) },
    });
    expect(outside).toEqual({ status: 'ready', version: expect.any(String), mode: 'sandbox' });
  });

  it('tells of a vault that stays away, and that it is back; not of a moment', async () => {
    answer = { status: 'no database' };
    status = 503;
    const back = () => {
      status = 200;
    };
    expect(await watch(portOf(otherUrl), 2, back)).toEqual([
      expect.stringMatching(/^the vault is not ready/),
      'vault and service agree again',
    ]);
  });
});
