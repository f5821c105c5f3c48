// Receives the deliveries to a webhook tester: all requests are stored, none is verified. Not
// served in live mode.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../../domain/protocol/refusal.ts';
import type { Ports } from '../../engine/ports.ts';
import { receiveTesterRequest } from '../../engine/steps/webhook-tester/receive-tester-request.ts';
import { assertNoForeignPage } from '../wire/own-host.ts';

/** Larger than the largest event; docs/decisions/events.md. */
const bodyLimit = 256 * 1024;
const slowMs = 5000;
/** Longer than the service itself waits as a sender. Contract §7, Delivery. */
const silentMs = 20_000;
/** The most responses that are held back at once; further requests get 500. */
const mostHeld = 32;

type KeyParams = { Params: { key: string } };

export function serveWebhookTester(app: FastifyInstance, ports: Ports): void {
  const held = new HeldResponses(app);
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit }, (_request, bytes, done) =>
      done(null, bytes),
    );
    const onRequest = async (request: FastifyRequest) =>
      assertNoForeignPage(request, ports.settings);
    scope.post<KeyParams>('/webhook-tester/:key', { onRequest }, async (request, reply) => {
      const { rawHeaders } = request.raw;
      const answer = await receiveTesterRequest(
        {
          key: request.params.key,
          headers: rawHeaders.flatMap((name, place) =>
            place % 2 === 0 ? [{ name, value: rawHeaders[place + 1] ?? '' }] : [],
          ),
          body: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
        },
        ports,
      );
      if (answer === undefined) throw new Refusal('route_not_found');
      if (answer === 'gone') return reply.code(410).send({ received: true });
      if (answer === 'ok') return reply.send({ received: true });
      if (answer === 'error' || !held.hasRoom) {
        return reply.code(500).send({ received: true, answer: 'as you chose in the tester' });
      }
      await held.wait(reply, answer === 'slow' ? slowMs : silentMs);
      if (answer === 'slow') return reply.send({ received: true });
      reply.hijack();
      return reply.raw.destroy();
    });
  });
}

/** Responses that are held back until their time has passed, their sender hangs up or the service stops. */
class HeldResponses {
  readonly #ends = new Set<() => void>();

  constructor(app: FastifyInstance) {
    app.addHook('preClose', async () => {
      for (const end of this.#ends) end();
    });
  }

  get hasRoom(): boolean {
    return this.#ends.size < mostHeld;
  }

  async wait(reply: FastifyReply, ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    this.#ends.add(resolve);
    reply.raw.once('close', resolve);
    await promise;
    clearTimeout(timer);
    this.#ends.delete(resolve);
  }
}
