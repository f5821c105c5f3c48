import type { DueNotice } from '../../../storage/gateways/provider-inbox.ts';
import type { Ports } from '../../ports.ts';
import { isSettling } from '../../steps/notices/leave-to-operation.ts';
import { passOn } from '../../steps/notices/pass-on.ts';
import { lookAtCard } from '../../steps/payment-methods/refresh-card.ts';

/**
 * Handles a notice about a saved card: it was renewed, changed or detached. The provider is read, whatever
 * the notice states, so the order and number of notices change nothing. Undefined leaves it for a later
 * pass.
 */
export async function readMethodNotice(
  notice: DueNotice,
  ports: Ports,
): Promise<string | undefined> {
  const { gatewayId, objectId } = notice;
  if (!objectId) return 'not_ours';
  const look = await lookAtCard({ gatewayId, providerMethodId: objectId }, ports);
  if (look === 'settled') return 'settled';
  if (look === 'waits') return undefined;
  // The copy that was read may lag behind, and our own commit may follow the notice.
  if (isSettling(notice)) return undefined;
  if (look !== 'unknown') return look;
  return (await passOn(notice, ports)) ?? 'unknown_object';
}
