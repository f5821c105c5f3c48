// How many requests are served at once.

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Refusal } from '../../domain/protocol/refusal.ts';

/** Returns true for calls of programs; metadata of protocols and pages do not count. */
export const isCall = ({ url }: FastifyRequest): boolean =>
  /^\/(?:v1\/|oauth\/|mcp(?:\?|$))/.test(url);

/** Refuses at once what would only wait: the database pool gives a connection within two seconds or never. */
export function limitInFlight(app: FastifyInstance, maxInFlight: number): void {
  const counted = new WeakSet<object>();
  let inFlight = 0;
  const end = (raw: object) => {
    if (counted.delete(raw)) inFlight -= 1;
  };
  // A request counts once its body has arrived: a caller that announces a body and sends none takes no place.
  app.addHook('preValidation', (request, reply, done) => {
    if (inFlight >= maxInFlight && isCall(request)) return done(new Refusal('service_unavailable'));
    // A caller that hung up while the credential was read emits no further close event, and would
    // be counted for good.
    if (reply.raw.closed) return done();
    inFlight += 1;
    counted.add(request.raw);
    // A caller that hangs up ends the count, never the operation: no response is sent then.
    reply.raw.once('close', () => end(request.raw));
    done();
  });
  app.addHook('onResponse', (request, _, done) => {
    end(request.raw);
    done();
  });
}
