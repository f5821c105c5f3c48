import { findGatewayOfNotice } from '../../../storage/gateways/gateways.ts';
import type { DueNotice } from '../../../storage/gateways/provider-inbox.ts';
import {
  isProviderMethodKept,
  listPendingOfCustomer,
  type PendingVaulting,
} from '../../../storage/payment-methods/pending-vaultings.ts';
import type { Ports } from '../../ports.ts';
import { openGateway } from '../../steps/gateways/open-gateway.ts';
import { isOld } from '../../steps/notices/leave-to-operation.ts';
import { settleLateSave } from '../../steps/payment-methods/settle-late-save.ts';

/**
 * Handles a notice that a wallet was saved. In most cases the payment's own answer has reported it
 * before; otherwise the orders that wait for it are read. Undefined leaves it for a later pass.
 */
export async function readTokenNotice(
  notice: DueNotice,
  ports: Ports,
): Promise<string | undefined> {
  const { gatewayId, objectId } = notice;
  if (notice.type !== 'VAULT.PAYMENT-TOKEN.CREATED' || !objectId) return 'nothing_to_change';
  if (await isProviderMethodKept(ports.database, gatewayId, objectId)) return 'nothing_to_change';
  const waiting = await listWaiting(notice, objectId, ports);
  // The copy that was read may lag behind the notice.
  if (waiting === undefined) return isOld(notice) ? 'unknown_object' : undefined;
  if (waiting.length === 0) return 'nothing_to_change';
  for (const save of waiting) {
    if (save.isPaid) await settleLateSave(save, ports);
  }
  if (await isProviderMethodKept(ports.database, gatewayId, objectId)) return 'settled';
  return isOld(notice) ? 'nothing_to_change' : undefined;
}

/**
 * Lists the pending methods that wait for a wallet of the token's customer; undefined where the
 * token cannot be read.
 */
async function listWaiting(
  { gatewayId }: DueNotice,
  tokenId: string,
  ports: Ports,
): Promise<PendingVaulting[] | undefined> {
  const found = await findGatewayOfNotice(ports.database, gatewayId);
  if (!found) return [];
  const gateway = await openGateway(ports, found.clientId, gatewayId);
  const reading = await ports.methodKeeper(gateway).retrieveMethod(tokenId);
  if (reading.kind !== 'found' || reading.method.customerId === null) return undefined;
  return listPendingOfCustomer(ports.database, gatewayId, reading.method.customerId);
}
