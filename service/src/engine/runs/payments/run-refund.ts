// The course of a refund, whoever asked for it: claim, ask the provider, settle. Contract §2, Refunds.

import type { Payment } from '../../../domain/payments/payment.ts';
import type { RefusalFacts } from '../../../domain/protocol/refusal.ts';
import {
  claimRefund,
  KeyTaken,
  type RefundClaim,
  type RefundRequest,
} from '../../../storage/payments/claim-refund.ts';
import { refuse } from '../../implement.ts';
import type { Ports } from '../../ports.ts';
import type { ServerCaller } from '../../require-server.ts';
import { composeEvent } from '../../steps/events/compose-event.ts';
import { stopWaitingAt } from '../../steps/pacing/wait-for-lease.ts';
import { askForRefund } from '../../steps/payments/ask-for-refund.ts';
import { settleRefund } from '../../steps/payments/settle-refund.ts';
import { recallAnswer, showPayment } from '../../steps/payments/show-payment.ts';
import { waitForOperation } from '../../steps/payments/wait-for-operation.ts';

/** What is to be refunded, and what must hold where it is claimed. */
export type RefundWish = Pick<
  RefundRequest,
  | 'paymentId'
  | 'idempotencyKey'
  | 'rawSha256'
  | 'canonSha256'
  | 'amountOf'
  | 'reason'
  | 'metadata'
  | 'ifVersion'
  | 'permission'
  | 'mayStart'
  | 'started'
> & {
  /**
   * Called when the provider has answered, also at a repeat: an earlier call may have stopped
   * before it.
   */
  readonly answered: (refundId: string) => Promise<void>;
};

export type RefundEnd =
  | { readonly kind: 'answered'; readonly body: string; readonly isReplayed: boolean }
  /** The provider has it and is working on it. */
  | { readonly kind: 'processing'; readonly refund: Payment };

/**
 * Gives money back, once per key. Refuses what the claim refuses, payment_operation_in_progress and
 * gateway_outcome_unknown.
 */
export async function runRefund(
  wish: RefundWish,
  asker: ServerCaller,
  ports: Ports,
): Promise<RefundEnd> {
  const { clientId, requestId } = asker;
  const request = {
    ...wish,
    clientId,
    requestId,
    asker,
    refundId: ports.newId(),
    operationId: ports.newId(),
    leaseOwner: ports.newId(),
    leaseMs: ports.settings.leaseMs,
    created: (refund: Payment, now: Date) =>
      composeEvent({
        id: ports.newId(),
        type: 'refund.created',
        clientId,
        isLive: refund.isLive,
        now,
        resource: { type: 'payment', id: refund.id, version: refund.version },
        sequence: refund.eventSeq,
        request: { id: requestId, idempotencyKey: wish.idempotencyKey },
        data: { object: showPayment(refund) },
      }),
  };
  const deadline = stopWaitingAt(ports);
  let isUnderway = false;
  for (;;) {
    const claim = await claimChecked({ ...request, isUnderway }, ports);
    if (claim.kind === 'refused') {
      return refuse(claim.code, { ...claim.facts, ...changedFacts(claim.changed) });
    }
    if (claim.kind === 'replay') {
      await wish.answered(claim.operation.paymentId);
      const body = await recallAnswer(claim.operation, ports);
      return { kind: 'answered', body, isReplayed: true };
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
      purchaseId: wish.paymentId,
      operation,
      startedAt: claim.now,
    };
    const settled = await settleRefund(held, outcome, ports);
    if (!settled) continue;
    await wish.answered(refund.id);
    if (settled.body !== null) return { kind: 'answered', body: settled.body, isReplayed: false };
    // The refund's own status states that it is still processing.
    if (settled.refund.status === 'processing') {
      return { kind: 'processing', refund: settled.refund };
    }
    // Nothing was sent: the recovery worker, or a repeat of the request, sends it.
    if (settled.refund.status === 'pending') return refuse('payment_operation_in_progress');
    return refuse('gateway_outcome_unknown');
  }
}

/**
 * What the caller needs for a new decision: the payment, whose version and refundable rest have
 * changed.
 */
const changedFacts = (changed: Payment | undefined): RefusalFacts =>
  changed ? { param: 'ifVersion', payment: showPayment(changed) } : {};

/** A refusal of the credential takes precedence over every other refusal. */
async function claimChecked(
  request: RefundRequest & { readonly asker: ServerCaller },
  ports: Ports,
): Promise<RefundClaim> {
  const claim = await claimTwice(request, ports);
  if (claim.kind === 'refused' && !request.isUnderway) await request.asker.recalled?.confirm();
  return claim;
}

async function claimTwice(request: RefundRequest, ports: Ports): Promise<RefundClaim> {
  try {
    return await claimRefund(ports.database, request);
  } catch (error) {
    if (!(error instanceof KeyTaken)) throw error;
    return claimRefund(ports.database, request);
  }
}
