// Claims a capture or cancel: writes everything that must be durable before the provider is called,
// in one transaction and one function.

import type { Line } from '../../domain/payments/line.ts';
import { decideClaim, type Operation } from '../../domain/payments/operation.ts';
import type { Payment } from '../../domain/payments/payment.ts';
import { type CredentialRefusal, findCredentialRefusal } from '../credentials/credential-check.ts';
import type { Database } from '../database/database.ts';
import { repeatWhenLost } from '../database/database.ts';
import type { ClaimRequest } from './claim-request.ts';
import { claimHoldFast } from './hold-fast-path.ts';
import { findCandidates, holdOperation, insertOperation } from './payment-operations.ts';
import { lockPayment } from './payments.ts';

export type Claim =
  | {
      readonly kind: 'claimed';
      readonly payment: Payment;
      readonly operation: Operation;
      readonly isFirstSend: boolean;
      readonly now: Date;
      /** The cart, when the claim read it. */
      readonly lines?: readonly Line[];
    }
  | { readonly kind: 'replay'; readonly operation: Operation }
  | { readonly kind: 'wait'; readonly operationId: string }
  | {
      readonly kind: 'refused';
      readonly code:
        | CredentialRefusal
        | 'payment_not_found'
        | 'idempotency_key_reused'
        | 'payment_operation_in_progress'
        | 'payment_not_authorized'
        | 'authorization_expired'
        | 'gateway_outcome_unknown';
    };

/**
 * Claims the operation: in one statement when nothing stands in the way, else step by step. Runs
 * once more when the outcome of the commit is unknown: the lease owner distinguishes this claim
 * from another one.
 */
export function claimOperation(database: Database, request: ClaimRequest): Promise<Claim> {
  return repeatWhenLost(async () => {
    const claimed = await claimHoldFast(database, request);
    return claimed
      ? { kind: 'claimed', isFirstSend: true, ...claimed }
      : claimStepByStep(database, request);
  });
}

/**
 * Locks the payment, reads clock and candidates in a later statement, decides, and writes the
 * operation with its key.
 */
function claimStepByStep(database: Database, request: ClaimRequest): Promise<Claim> {
  const { clientId, paymentId, kind, leaseOwner } = request;
  return database.transaction(clientId, async (tx): Promise<Claim> => {
    const payment = await lockPayment(tx, clientId, paymentId);
    if (!payment) return { kind: 'refused', code: 'payment_not_found' };
    const key = request.idempotencyKey;
    const { now, sameKey, open } = await findCandidates(tx, { clientId, paymentId, kind, key });
    const unfit = await findCredentialRefusal(tx, { ...request, permission: 'holds.end' }, sameKey);
    if (unfit) return { kind: 'refused', code: unfit };
    const decision = decideClaim({ payment, now, request, leaseOwner, sameKey, open });
    const until = new Date(now.getTime() + request.leaseMs);

    if (decision.step === 'refuse') return { kind: 'refused', code: decision.code };
    if (decision.step === 'start') {
      const operation = await insertOperation(tx, {
        ...request,
        id: request.operationId,
        amountMinor: payment.amountMinor,
        leaseUntil: until,
        now,
        cardTokenSha256: null,
      });
      // The payment's lock excludes other claims on this payment, so a unique violation can only
      // mean that the same key was just used on another payment.
      if (!operation) return { kind: 'refused', code: 'idempotency_key_reused' };
      return { kind: 'claimed', payment, operation, isFirstSend: true, now };
    }
    if (!sameKey) throw new Error('a decision on a key needs its operation');
    if (decision.step === 'replay') return { kind: 'replay', operation: sameKey };
    if (decision.step === 'wait') return { kind: 'wait', operationId: sameKey.id };
    const attemptStep = decision.step === 'retry' ? 1 : 0;
    const operation = await holdOperation(tx, sameKey, { owner: leaseOwner, until, attemptStep });
    return { kind: 'claimed', payment, operation, isFirstSend: attemptStep === 1, now };
  });
}
