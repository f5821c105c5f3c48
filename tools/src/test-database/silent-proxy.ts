// A connection to the database that stops responding: connections stay open or are accepted, and no data
// passes.

import { mkdtempSync, rmSync } from 'node:fs';
import { createConnection, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { redirect, targetOf } from './address.ts';

export type SilentWay = {
  readonly url: string;
  /** Behaves from now on like a server that was stopped with SIGSTOP. */
  hang(): void;
  /** Lets all data through again, including what was held back. */
  resume(): void;
  close(): Promise<void>;
};

export async function openSilentWay(url: string): Promise<SilentWay> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-way-'));
  const { host, port } = targetOf(url);
  const sockets = new Set<Socket>();
  let isHanging = false;
  const server = createServer((client) => {
    const backend = host.startsWith('/')
      ? createConnection(join(host, `.s.PGSQL.${port}`))
      : createConnection(Number(port), host);
    for (const [from, to] of [
      [client, backend],
      [backend, client],
    ] as const) {
      sockets.add(from);
      from.on('data', (bytes) => to.write(bytes));
      from.on('error', () => undefined);
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      if (isHanging) from.pause();
    }
  });
  await new Promise<void>((resolve) => server.listen(join(folder, '.s.PGSQL.5432'), resolve));
  const forAllSockets = (act: 'pause' | 'resume' | 'destroy') => {
    for (const socket of sockets) socket[act]();
  };
  return {
    url: redirect(url, folder),
    hang() {
      isHanging = true;
      forAllSockets('pause');
    },
    resume() {
      isHanging = false;
      forAllSockets('resume');
    },
    async close() {
      forAllSockets('destroy');
      await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
