// Health endpoints: whether the process is alive, has started, and can take requests.

import { type RunsWith, seenHeader, seenRequest } from '@svc/contract/servers/seen-request';
import { version } from '@svc/contract/version';
import type { FastifyInstance } from 'fastify';
import type { Ports } from '../../engine/ports.ts';
import { openHealth } from '../../engine/runs/doctor/read-health.ts';

type Settings = {
  readonly ports: Ports;
  readonly isDraining: () => boolean;
  /** What the doctor asks the process for: its settings may be others than those of the doctor's shell. */
  readonly runs: RunsWith;
  readonly nowMs: () => number;
};

export function serveHealth(
  app: FastifyInstance,
  { ports, isDraining, runs, nowMs }: Settings,
): void {
  app.get('/healthz', async () => ({ status: 'ok' }));

  const readHealth = openHealth(ports, nowMs);
  let hasStarted = false;
  const readiness = async () => {
    const { database, isMigrated, isWritable, vault } = await readHealth();
    const isUp = database !== null && isMigrated && isWritable && vault === 'ready';
    const isReady = isUp && !isDraining();
    hasStarted ||= isReady;
    return {
      status: isReady ? 'ready' : 'not ready',
      version,
      isDraining: isDraining(),
      mode: ports.settings.mode,
      database: database
        ? `PostgreSQL ${database.version}, database ${database.name}`
        : 'unreachable',
      isMigrated,
      isWritable,
      vault,
    };
  };

  app.get('/readyz', async (request, reply) => {
    const answer = await readiness();
    const code = answer.status === 'ready' ? 200 : 503;
    const asked = request.headers[seenHeader] === undefined ? {} : { runs };
    return reply.code(code).send({ ...answer, ...asked, ...seenRequest(request) });
  });

  app.get('/startupz', async (_request, reply) => {
    if (!hasStarted) await readiness();
    return reply.code(hasStarted ? 200 : 503).send({ status: hasStarted ? 'started' : 'starting' });
  });
}
