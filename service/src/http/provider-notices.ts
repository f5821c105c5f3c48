// Notices from providers: the bytes as sent, because the signature covers them.

import type { FastifyInstance } from 'fastify';
import { Refusal } from '../domain/refusal.ts';
import { uuidPattern } from '../domain/uuid.ts';
import type { Ports, ReceivedNotice } from '../operations/ports.ts';
import { toRefusal } from './errors.ts';

const noticeLimit = 256 * 1024;

/** Stores a genuine notice; the answer may be given as soon as it is on disk. */
export type ReceiveNotice = (
  received: { gatewayId: string } & Omit<ReceivedNotice, 'secret'>,
  ports: Ports,
) => Promise<'stored' | 'duplicate' | 'refused'>;

export function serveProviderNotices(
  app: FastifyInstance,
  receiveNotice: ReceiveNotice,
  ports: Ports,
): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      '*',
      { parseAs: 'buffer', bodyLimit: noticeLimit },
      (_request, bytes, done) => done(null, bytes),
    );
    scope.setErrorHandler(async (error) => {
      if (toRefusal(error).code !== 'body_too_large') throw error;
      throw new Refusal('body_too_large', { message: 'The body is over 256 kB.' });
    });
    scope.post<{ Params: { gatewayId: string } }>(
      '/provider-notices/:gatewayId',
      async (request, reply) => {
        const { headers } = request;
        const gatewayId = request.params.gatewayId.toLowerCase();
        const rawBody = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
        // An unknown gateway and a wrong signature are answered alike.
        const outcome = uuidPattern.test(gatewayId)
          ? await receiveNotice({ gatewayId, rawBody, headers }, ports)
          : 'refused';
        if (outcome === 'refused') {
          throw new Refusal('invalid_request', { message: 'The notice is not genuine.' });
        }
        return reply.send({ received: true });
      },
    );
  });
}
