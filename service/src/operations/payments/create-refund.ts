import { createRefund as row } from '@svc/contract/refunds';
import type { Payment } from '../../domain/payments/payment.ts';
import { refundMinor } from '../../domain/payments/refund.ts';
import type { RefusalFacts } from '../../domain/protocol/refusal.ts';
import { implement, refuse } from '../../engine/implement.ts';
import type { Ports } from '../../engine/ports.ts';
import { requireServer, type ServerCaller } from '../../engine/require-server.ts';
import { composeEvent } from '../../engine/steps/events/compose-event.ts';
import { askForRefund } from '../../engine/steps/payments/ask-for-refund.ts';
import { settleRefund } from '../../engine/steps/payments/settle-refund.ts';
import { showPayment } from '../../engine/steps/payments/show-payment.ts';
import { waitForOperation } from '../../engine/steps/payments/wait-for-operation.ts';
import { lookAfterRefund } from '../../engine/steps/provider-webhooks/look-at-purchase.ts';
import { tellRefund } from '../../engine/steps/receipts/tell-refund.ts';
import { claimRefund, KeyTaken, type RefundClaim } from '../../storage/payments/claim-refund.ts';

const waitMs = 5000;

/**
 * Makes a refund, once per key. The refund is a payment row of its own; a refund that the provider
 * refuses is returned with the status `refund_failed`. A repeated request also sends a mail that a stopped
 * process did not send. Contract §2, Refunds. Refuses, in order:
 * merchant_role_required, payment_not_found, idempotency_key_reused, payment_changed,
 * amount_precision, payment_disputed, refund_amount_exceeds_available, gateway_outcome_unknown.
 */
export const createRefund = implement(row)(async (input, caller, ports) => {
  const asker = requireServer(caller, row);
  const { clientId, requestId } = asker;
  const { amount, reason, metadata, ifVersion, notifyBuyer = false } = input.body;
  const tell = (refundId: string) => notifyBuyer && tellRefund(refundId, asker, ports);
  const { idempotencyKey } = input;
  const request = {
    ...input,
    clientId,
    requestId,
    asker,
    amountOf: (purchase: { currency: string; provider: string }) =>
      amount === undefined ? null : refundMinor(amount, purchase),
    reason: reason ?? null,
    metadata: metadata ?? {},
    ifVersion: ifVersion ?? null,
    refundId: ports.newId(),
    operationId: ports.newId(),
    leaseOwner: ports.newId(),
    leaseMs: ports.settings.leaseMs,
    created: (refund: Parameters<typeof showPayment>[0], now: Date) =>
      composeEvent({
        id: ports.newId(),
        type: 'refund.created',
        clientId,
        isLive: refund.isLive,
        now,
        resource: { type: 'payment', id: refund.id, version: refund.version },
        sequence: refund.eventSeq,
        request: { id: requestId, idempotencyKey },
        data: { object: showPayment(refund) },
      }),
  };
  const deadline = performance.now() + waitMs;
  let isUnderway = false;
  for (;;) {
    const claim = await claimAsked({ ...request, isUnderway }, ports);
    if (claim.kind === 'refused') return refuse(claim.code, changedFacts(claim.changed));
    if (claim.kind === 'replay') {
      await tell(claim.operation.paymentId);
      return { status: 201, replay: claim.operation.responseBody ?? '', isReplayed: true };
    }
    if (claim.kind === 'wait') {
      if (!(await waitForOperation(claim.operationId, clientId, { deadline, ports }))) {
        return refuse('payment_operation_in_progress');
      }
      continue;
    }
    isUnderway = true;
    const { refund, operation } = claim;
    const outcome = await askForRefund(claim, ports);
    const held = {
      clientId,
      refundId: refund.id,
      purchaseId: input.paymentId,
      operation,
      startedAt: claim.now,
    };
    const settled = await settleRefund(held, outcome, ports);
    if (!settled) continue;
    await lookAfterRefund(settled, ports);
    await tell(refund.id);
    if (settled.body !== null) return { status: 201, replay: settled.body, isReplayed: false };
    // The provider has the refund and works on it, which the refund's status shows.
    if (settled.refund.status === 'processing') {
      return { status: 201, body: showPayment(settled.refund) };
    }
    return refuse('gateway_outcome_unknown');
  }
});

/** What the caller needs to decide again: the payment with its present version and remaining amount. */
const changedFacts = (changed: Payment | undefined): RefusalFacts =>
  changed ? { param: 'ifVersion', payment: showPayment(changed) } : {};

/** Claims the refund. A fault of the credential is reported before any other refusal. */
async function claimAsked(
  request: Parameters<typeof claimRefund>[1] & { readonly asker: ServerCaller },
  ports: Ports,
): Promise<RefundClaim> {
  const claim = await claimTwice(request, ports);
  if (claim.kind === 'refused' && !request.isUnderway) await request.asker.recalled?.confirm();
  return claim;
}

async function claimTwice(
  request: Parameters<typeof claimRefund>[1],
  ports: Ports,
): Promise<RefundClaim> {
  try {
    return await claimRefund(ports.database, request);
  } catch (error) {
    if (!(error instanceof KeyTaken)) throw error;
    return claimRefund(ports.database, request);
  }
}
