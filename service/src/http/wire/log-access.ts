// The log line of each request.

import type { FastifyInstance } from 'fastify';
import type { Log } from './log.ts';

export type AnswerFacts = {
  /** The contract's operation, or the route of a request that is no operation. */
  readonly operation: string;
  readonly status: number;
  /** The code of the error that was answered. */
  readonly code: string | null;
  readonly ms: number;
};

type AccessSettings = {
  readonly log: Log;
  /** Called with each request that was answered. */
  readonly onAnswer?: (facts: AnswerFacts) => void;
};

const mostAgent = 200;

/** Logs one line per request, with the route's template and never the path or its query. */
export function logAccess(app: FastifyInstance, { log, onAnswer }: AccessSettings): void {
  app.addHook('onResponse', (request, reply, done) => {
    const caller = request.call?.caller;
    const route = request.route ?? request.routeOptions.url ?? 'none';
    onAnswer?.({
      operation: request.operation ?? route,
      status: reply.statusCode,
      code: request.errorCode,
      ms: reply.elapsedTime,
    });
    const agent = request.headers['user-agent']?.slice(0, mostAgent);
    log.info('request', {
      requestId: request.id,
      address: request.ip,
      ...(agent === undefined ? {} : { agent }),
      method: request.method,
      route,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      ...(request.operation === null ? {} : { operation: request.operation }),
      ...(caller?.kind === 'server' ? { clientId: caller.clientId, actorId: caller.userId } : {}),
      ...(caller?.kind === 'person' ? { actorId: caller.userId } : {}),
      ...(request.errorCode === null ? {} : { code: request.errorCode }),
    });
    done();
  });
}
