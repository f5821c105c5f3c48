import { type Operation, providerKey, resendMs } from '../../domain/operation.ts';
import type { Payment } from '../../domain/payment.ts';
import { openGateway } from '../gateways/open-gateway.ts';
import type { Ports, RefundOutcome } from '../ports.ts';

/** The provider call of a refund, outside any transaction; one way for request and worker. */
export async function askForRefund(
  asked: { refund: Payment; operation: Operation; isFirstSend: boolean; now: Date },
  ports: Ports,
): Promise<RefundOutcome> {
  const { refund, operation, isFirstSend, now } = asked;
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
    const maySend = now.getTime() - operation.firstSentAt.getTime() < resendMs;
    return provider.refund({ ...call, maySend });
  }
  const read = await provider.retrieveRefund(refund.providerRefundId);
  if (read.kind === 'confirmed' && read.refund.operationId === operation.id) return read;
  // The answer that named it may have named another one: ours is found by our own operation's id.
  return provider.refund({ ...call, maySend: false });
}
