import { createHash } from 'node:crypto';
import { findGatewayOfNotice, openNoticeSecret } from '../../../storage/gateways/gateways.ts';
import { saveNoticeArrival } from '../../../storage/gateways/provider-accounts.ts';
import { insertNotice } from '../../../storage/gateways/provider-inbox.ts';
import {
  clearRefusedNotices,
  countRefusedNotice,
} from '../../../storage/gateways/refused-notices.ts';
import { type NoticeFault, ownNoticeType, type Ports, type ReceivedNotice } from '../../ports.ts';

const uuidPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Stores a genuine notice; any other is only counted. The sender gets its answer once the notice is
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
  const refuseNotice = async (fault: NoticeFault) => {
    await countRefusedNotice(ports.database, gateway.id, fault);
    onFault(fault);
    return 'refused' as const;
  };
  const secret = await openNoticeSecret(ports.sealed, gateway);
  if (!secret) return refuseNotice('no_secret');
  const { rawBody, headers } = received;
  const said = await ports.parseNotice(gateway, { rawBody, headers, secret });
  const notice = typeof said !== 'string' && said.livemode !== gateway.isLive ? 'other_mode' : said;
  if (typeof notice === 'string') return refuseNotice(notice);
  // A check shows that the way here is open, not that the provider has the same secret.
  if (notice.type === ownNoticeType) return 'stored';
  if (gateway.refusesNotices) await clearRefusedNotices(ports.database, gateway.id);
  if (gateway.isArrivalDue) await saveNoticeArrival(ports.database, gateway.id);
  const stored = await insertNotice(ports.database, {
    gatewayId: gateway.id,
    id: notice.id,
    objectId: notice.intentId,
    type: notice.type,
    createdAt: notice.createdAt,
    payloadSha256: createHash('sha256').update(rawBody).digest(),
    payload: notice.kept,
  });
  if (stored?.isDue) ports.nudge('read-notices');
  return stored ? 'stored' : 'duplicate';
}
