import { createHash } from 'node:crypto';
import { findGatewayOfNotice, openNoticeSecret } from '../../../storage/gateways/gateways.ts';
import { insertNotice } from '../../../storage/gateways/provider-inbox.ts';
import type { NoticeFault, Ports, ReceivedNotice } from '../../ports.ts';

const uuidPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Stores a genuine notice; any other leaves no trace. The sender gets its answer once the notice is
 * committed, and it is processed later. Its statements about money are never trusted, only read
 * again at the provider. `onFault` receives the reason why a notice for a gateway of ours is
 * refused; the sender does not.
 */
export async function receiveNotice(
  received: { gatewayId: string } & Omit<ReceivedNotice, 'secret'>,
  ports: Ports,
  onFault: (fault: NoticeFault) => void = () => undefined,
): Promise<'stored' | 'duplicate' | 'refused'> {
  if (!uuidPattern.test(received.gatewayId)) return 'refused';
  const gateway = await findGatewayOfNotice(ports.database, received.gatewayId);
  if (!gateway) return 'refused';
  const secret = await openNoticeSecret(ports.sealed, gateway);
  if (!secret) return 'refused';
  const { rawBody, headers } = received;
  const said = await ports.parseNotice(gateway, { rawBody, headers, secret });
  const notice = typeof said !== 'string' && said.livemode !== gateway.isLive ? 'other_mode' : said;
  if (typeof notice === 'string') {
    onFault(notice);
    return 'refused';
  }
  const isNew = await insertNotice(ports.database, {
    gatewayId: gateway.id,
    id: notice.id,
    objectId: notice.intentId,
    type: notice.type,
    createdAt: notice.createdAt,
    payloadSha256: createHash('sha256').update(rawBody).digest(),
    payload: notice.kept,
  });
  if (isNew) ports.nudge('read-notices');
  return isNew ? 'stored' : 'duplicate';
}
