import { type Operation, providerKey, resendMs } from '../../../domain/payments/operation.ts';
import type { Payment } from '../../../domain/payments/payment.ts';
import { readAskingTime } from '../../../storage/database/clock.ts';
import type { Ports, RefundOutcome } from '../../ports.ts';
import { openGateway } from '../gateways/open-gateway.ts';

/** A minute, far less than what is left of the provider's day when a refund is sent for the last time. */
const sendWithinMs = 60_000;

/** The provider call of a refund, outside any transaction; one way for request and worker. */
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
    return provider.refund({ ...call, sendUntil: await sendUntil(operation, ports) });
  }
  const read = await provider.retrieveRefund(refund.providerRefundId);
  if (read.kind === 'confirmed' && read.refund.operationId === operation.id) return read;
  // The answer that named it may have named another one: ours is found by our own operation's id.
  return provider.refund({ ...call, sendUntil: null });
}

/**
 * Asked anew, and not of the claim: its holder may have been stopped since. This machine's clock is
 * read first, so that whatever comes in between counts.
 */
async function sendUntil({ firstSentAt }: Operation, ports: Ports): Promise<number | null> {
  const askedAtMs = Date.now();
  const now = await readAskingTime(ports.database);
  return now.getTime() - firstSentAt.getTime() < resendMs ? askedAtMs + sendWithinMs : null;
}
