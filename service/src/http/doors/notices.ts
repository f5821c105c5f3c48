// Receives notices from providers, as the bytes that were sent, because the signature covers them.

import type { FastifyInstance } from 'fastify';
import { Refusal } from '../../domain/protocol/refusal.ts';
import { uuidPattern } from '../../domain/protocol/uuid.ts';
import type { NoticeFault, Ports, ReceivedNotice } from '../../engine/ports.ts';
import { noticeRemedies } from '../../engine/steps/notices/refused-notices.ts';
import { toRefusal } from '../wire/errors.ts';
import type { Log } from '../wire/log.ts';

const noticeLimit = 256 * 1024;

/** Stores a genuine notice; the response may be sent as soon as the notice is on disk. */
export type ReceiveNotice = (
  received: { gatewayId: string } & Omit<ReceivedNotice, 'secret'>,
  ports: Ports,
  onFault: (fault: NoticeFault) => void,
) => Promise<'stored' | 'duplicate' | 'refused'>;

export function serveProviderNotices(
  app: FastifyInstance,
  receiveNotice: ReceiveNotice,
  { ports, log }: { readonly ports: Ports; readonly log: Log },
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
        // An unknown gateway and a wrong signature get the same answer.
        const onFault = (fault: NoticeFault) =>
          log.warn('a notice of the provider was refused', {
            requestId: request.id,
            ...{ gatewayId, fault, remedy: noticeRemedies[fault] },
          });
        const outcome = uuidPattern.test(gatewayId)
          ? await receiveNotice({ gatewayId, rawBody, headers }, ports, onFault)
          : 'refused';
        if (outcome === 'refused') {
          throw new Refusal('invalid_request', { message: 'The notice is not genuine.' });
        }
        return reply.send({ received: true });
      },
    );
  });
}
