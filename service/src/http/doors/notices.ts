// Receives notices from providers, as the bytes that were sent, because the signature covers them.

import type { FastifyInstance } from 'fastify';
import { Refusal } from '../../domain/protocol/refusal.ts';
import { uuidPattern } from '../../domain/protocol/uuid.ts';
import type { NoticeFault, Ports, ReceivedNotice } from '../../engine/ports.ts';
import { toRefusal } from '../wire/errors.ts';
import type { Log } from '../wire/log.ts';

const noticeLimit = 256 * 1024;

/** Stores a genuine notice; the response may be sent as soon as the notice is on disk. */
export type ReceiveNotice = (
  received: { gatewayId: string } & Omit<ReceivedNotice, 'secret'>,
  ports: Ports,
  onFault: (fault: NoticeFault) => void,
) => Promise<'stored' | 'duplicate' | 'refused'>;

/** What the operator can do about a notice that was refused. */
const remedies: Readonly<Record<NoticeFault, string>> = {
  wrong_secret:
    'the signature is not made with the secret of this gateway: copy the secret of the endpoint',
  old_timestamp: 'the signature is over five minutes old or early: set the clock of this machine',
  other_account: 'the notice is of another account than that of this gateway',
  other_mode: 'the notice is of another mode than this gateway: use the endpoint of its mode',
  thin_event: 'the notice does not contain its object: make the endpoint send snapshot events',
  not_understood: 'the notice is no event of the provider, or its wallet certificate is not valid',
};

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
            ...{ gatewayId, fault, remedy: remedies[fault] },
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
