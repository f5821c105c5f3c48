import { type Operation, providerKey, resendMs } from '../../../domain/payments/operation.ts';
import { isWholeAmount, type Payment } from '../../../domain/payments/payment.ts';
import { readAskingTime } from '../../../storage/database/clock.ts';
import type { Ports, RefundOutcome } from '../../ports.ts';
import { openGateway } from '../gateways/open-gateway.ts';

/**
 * One minute, far less than what is left of the 24 hours for which the provider keeps a key when a
 * refund is sent for the last time.
 */
const sendWithinMs = 60_000;

/**
 * The provider call of a refund, outside any transaction. The request and the recovery worker both
 * use it.
 */
export async function askForRefund(
  asked: { refund: Payment; operation: Operation; isFirstSend: boolean },
  ports: Ports,
): Promise<RefundOutcome> {
  const { refund, operation, isFirstSend } = asked;
  const gateway = await openGateway(ports, refund.clientId, refund.gatewayId);
  const provider = ports.provider(gateway);
  const call = {
    key: providerKey(operation),
    isFirstSend,
    operationId: operation.id,
    paymentId: refund.parentPaymentId ?? '',
    intentId: refund.providerIntentId ?? '',
    amountMinor: refund.amountMinor,
    currency: refund.currency,
    refundId: refund.id,
    reason: refund.refundReason,
  };
  if (!refund.providerRefundId) {
    return provider.refund({ ...call, sendUntil: await sendRefundUntil(operation, ports) });
  }
  const read = await provider.retrieveRefund(refund.providerRefundId);
  if (read.kind === 'confirmed' && read.refund.operationId === operation.id) {
    return isWholeAmount(refund, read.refund)
      ? read
      : { kind: 'in_doubt', cause: 'answer_mismatch', trace: read.trace };
  }
  // The stored refund id may name another refund: ours is found by the id of our own operation.
  return provider.refund({ ...call, sendUntil: null });
}

/**
 * Returns until when the refund may be sent; null when only reading is safe. The time is read anew,
 * because the process may have been stopped since the claim. This machine's clock is read first, so
 * that a delay between the two readings shortens the time.
 */
export async function sendRefundUntil(
  { firstSentAt }: Operation,
  ports: Ports,
): Promise<number | null> {
  const askedAtMs = Date.now();
  const now = await readAskingTime(ports.database);
  return now.getTime() - firstSentAt.getTime() < resendMs ? askedAtMs + sendWithinMs : null;
}
