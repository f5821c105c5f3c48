// A PostgreSQL server for one proof, as durable as in production, that can be crashed and started
// again on the same files. Without fsync a crash would prove nothing.

import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { homeOf } from '@svc/service/start/postgres/cluster-place';
import { type Postgres, startPostgres } from '@svc/service/start/postgres/index';
import { isAlive, isServerOf } from '@svc/service/start/postgres/processes';
import { scaled } from '@svc/tools/machine';
import { root } from '@svc/tools/start/options';
import { removeServer } from '@svc/tools/test-database/memory';

export type DurableDatabase = {
  readonly url: string;
  readonly ownerUrl: string;
  readonly vaultUrl: string;
  /** Ends the server at once, without a checkpoint; resolves when it is gone. */
  crash(signal: 'SIGQUIT' | 'SIGKILL'): Promise<void>;
  /** Starts the server again, which first replays its log. */
  start(): Promise<void>;
  close(): Promise<void>;
};

const shelter = join(root, '.cache');
const prefix = 'proof-postgres';
const patienceMs = scaled(20_000);

const dataOf = (home: string) => join(home, 'cluster/data');

export async function openDurableDatabase(): Promise<DurableDatabase> {
  mkdirSync(shelter, { recursive: true });
  sweep();
  const dataDir = mkdtempSync(join(shelter, `${prefix}-${process.pid}-`));
  // For root, the server runs as another account, which must be able to enter the folder.
  chmodSync(dataDir, 0o711);
  const options = { dataDir, settings: { max_connections: '200' } };
  let server: Postgres;
  try {
    server = await startPostgres(options);
  } catch (error) {
    rmSync(dataDir, { recursive: true, force: true });
    throw error;
  }
  const { home } = server;
  return {
    url: server.url('svc_service'),
    ownerUrl: server.url('svc_owner'),
    vaultUrl: server.url('svc_vault'),
    async crash(signal) {
      process.kill(server.pid, signal);
      const deadline = performance.now() + patienceMs;
      while (isServerOf(server.pid, dataOf(home))) {
        if (performance.now() > deadline) throw new Error('PostgreSQL outlives its crash');
        await pause(2);
      }
    },
    async start() {
      const next = await startPostgres(options);
      // The new server counts itself as a user of the files, so the old one ends its use.
      await server.stop();
      server = next;
    },
    async close() {
      await server.stop();
      for (const folder of new Set([dataDir, home])) {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  };
}

/** Stops and removes the servers that killed runs have left. */
function sweep(): void {
  for (const name of readdirSync(shelter)) {
    const owner = new RegExp(`^${prefix}-(\\d+)-`).exec(name)?.[1];
    if (owner === undefined || isAlive(Number(owner))) continue;
    const dataDir = join(shelter, name);
    removeServer(homeOf(dataDir) ?? dataDir);
    rmSync(dataDir, { recursive: true, force: true });
  }
}
