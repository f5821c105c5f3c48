import { findPayment } from '../../../storage/payments/payments.ts';
import type { Ports } from '../../ports.ts';
import { openGateway } from '../gateways/open-gateway.ts';
import { applyReading } from './apply-reading.ts';

/**
 * Reads a purchase again. A capture that the provider took back stays as it is while part of it
 * counts as refunded, so after a failed refund it is compared anew. Returns false when it could not
 * be read.
 */
export async function lookAtPurchase(
  { clientId, purchaseId }: { readonly clientId: string; readonly purchaseId: string },
  ports: Ports,
): Promise<boolean> {
  const purchase = await findPayment(ports.database, clientId, purchaseId);
  const mayMove = purchase?.status === 'succeeded' || purchase?.status === 'unknown';
  if (!purchase?.providerIntentId || !mayMove) return true;
  const gateway = await openGateway(ports, clientId, purchase.gatewayId);
  const reading = await ports.provider(gateway, 'upkeep').retrieve(purchase.providerIntentId);
  if (reading.kind !== 'found') return false;
  await applyReading(purchase, reading.payment, ports);
  return true;
}
