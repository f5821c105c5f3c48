import { findPayment } from '../../../storage/payments/payments.ts';
import type { Ports } from '../../ports.ts';
import { openGateway } from '../gateways/open-gateway.ts';
import type { SettledRefund } from '../payments/settle-refund.ts';
import { applyReading } from './apply-reading.ts';

/**
 * A capture that the provider took back stays as it is while money of it counts as given back: what
 * a refund's failure leaves is compared anew. False when it could not be read.
 */
export async function lookAtPurchase(
  { clientId, purchaseId }: { readonly clientId: string; readonly purchaseId: string },
  ports: Ports,
): Promise<boolean> {
  const purchase = await findPayment(ports.database, clientId, purchaseId);
  const mayMove = purchase?.status === 'succeeded' || purchase?.status === 'unknown';
  if (!purchase?.providerIntentId || !mayMove) return true;
  const gateway = await openGateway(ports, clientId, purchase.gatewayId);
  const reading = await ports.provider(gateway).retrieve(purchase.providerIntentId);
  if (reading.kind !== 'found') return false;
  await applyReading(purchase, reading.payment, ports);
  return true;
}

/**
 * A capture taken back while a refund of it was open has waited for the refund's end. That is settled,
 * and told, whatever the look comes to: what it leaves, reconcile finds.
 */
export async function lookAfterRefund(
  { refund, purchase }: SettledRefund,
  ports: Ports,
): Promise<void> {
  if (refund.status !== 'refund_failed' || purchase.status !== 'unknown') return;
  const { clientId, id: purchaseId } = purchase;
  await lookAtPurchase({ clientId, purchaseId }, ports).catch(() => false);
}
