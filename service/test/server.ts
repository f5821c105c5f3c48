// A whole service in this process, over a test's database.

import { rows } from '@svc/contract';
import { storeLogLine } from '@svc/tools/server-log';
import type { FastifyInstance } from 'fastify';
import type { Ports } from '../src/engine/ports.ts';
import { receiveNotice } from '../src/engine/runs/notices/receive-notice.ts';
import type { OperationTable, RowTable } from '../src/http/rows/api.ts';
import { buildServer, type Server, type ServerSettings } from '../src/http/server.ts';
import { openLog } from '../src/http/wire/log.ts';
import { operations } from '../src/operations/index.ts';

export type TestServer = Server & {
  readonly app: FastifyInstance;
  /** Lines of the log, parsed. */
  readonly logged: Record<string, unknown>[];
};

/**
 * Starts the server with every row and operation, without rate limits by default. Close it in
 * `afterAll`.
 */
export async function aServer(
  ports: Ports,
  given: Partial<ServerSettings> & { rows?: RowTable; operations?: OperationTable } = {},
): Promise<TestServer> {
  const logged: Record<string, unknown>[] = [];
  const server = buildServer({
    rows,
    operations,
    ports,
    receiveNotice,
    log: openLog('info', {
      write: (line) => {
        storeLogLine(line);
        logged.push(JSON.parse(line));
      },
    }),
    limits: null,
    trustedProxies: 0,
    pagesDir: '/nonexistent',
    vaultOrigin: 'http://127.0.0.1:4001',
    providerUrl: 'http://127.0.0.1:4002',
    sandboxKey: null,
    maxInFlight: 1000,
    shedMs: 0,
    ...given,
  });
  await server.app.ready();
  return { ...server, logged };
}
