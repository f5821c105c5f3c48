// A proxy to the database that loses a commit before it arrives, or its response after it took
// effect.

import { mkdtempSync, rmSync } from 'node:fs';
import { createConnection, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { redirect, targetOf } from '@svc/tools/test-database/address';

export type LossyWay = {
  readonly url: string;
  /** Loses the `nth` commit from now on, or the statement of that name, which commits by itself. */
  lose(what: number | string, when: 'before' | 'after'): void;
  forget(): void;
  /** Returns how many were lost since `lose`. */
  lost(): number;
  close(): Promise<void>;
};

// PostgreSQL's simple query message, as the driver writes it.
const commit = Buffer.from('Q\0\0\0\x0bcommit\0', 'latin1');
// PostgreSQL's ReadyForQuery outside a transaction: what was sent has taken effect.
const ready = Buffer.from('Z\0\0\0\x05I', 'latin1');

type Plan = { word: Buffer; left: number; when: 'before' | 'after' };

/** Returns the first message of a connection without its options. */
function withoutOptions(start: Buffer): Buffer {
  const from = start.indexOf('options\0');
  const to = start.indexOf(0, from + 'options\0'.length) + 1;
  const rest = Buffer.concat([start.subarray(0, from), start.subarray(to)]);
  rest.writeInt32BE(rest.length);
  return rest;
}

/**
 * Opens a proxy between a driver and the server's Unix socket or TCP port. It may drop the options
 * of a connection's start, as poolers do.
 */
export async function openLossyWay(url: string, { dropsOptions = false } = {}): Promise<LossyWay> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-way-'));
  const socketFile = join(folder, '.s.PGSQL.5432');
  const { host, port } = targetOf(url);
  const sockets = new Set<Socket>();
  let plan: Plan | undefined;
  let count = 0;

  const server = createServer((client) => {
    const isFile = host.startsWith('/');
    const backend = isFile
      ? createConnection(join(host, `.s.PGSQL.${port}`))
      : createConnection(Number(port), host);
    for (const socket of [client, backend]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
    }
    const cutSockets = () => [client, backend].map((socket) => socket.destroy());
    let isLost = false;
    let isStart = dropsOptions;
    client.on('data', (bytes) => {
      if (isStart) {
        isStart = false;
        return void backend.write(withoutOptions(bytes));
      }
      if (plan && bytes.includes(plan.word)) plan.left -= 1;
      if (plan?.left === 0) {
        isLost = true;
        count += 1;
        const { when } = plan;
        plan = undefined;
        if (when === 'before') return void cutSockets();
      }
      backend.write(bytes);
    });
    let swallowed = Buffer.alloc(0);
    backend.on('data', (bytes) => {
      if (!isLost) return void client.write(bytes);
      swallowed = Buffer.concat([swallowed, bytes]);
      if (swallowed.includes(ready)) cutSockets();
    });
    client.on('close', () => backend.destroy());
    backend.on('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(socketFile, resolve));

  return {
    url: redirect(url, folder),
    lose: (what, when) => {
      const isName = typeof what === 'string';
      const word = isName ? Buffer.from(`${what}\0`) : commit;
      plan = { word, left: isName ? 1 : what, when };
      count = 0;
    },
    forget: () => {
      plan = undefined;
    },
    lost: () => count,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
