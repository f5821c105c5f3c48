// Operations: what was asked of the provider, under which lease, and what may happen next.
// Reliability §4.3: a durable intent, then the call, then the durable outcome.

import type { Payment } from './payment.ts';
import { refuseHoldOperation } from './payment.ts';

export type OperationKind = 'authorize' | 'capture' | 'cancel' | 'expire' | 'refund';
/** The states of operations and set-ups that recovery drives on by itself. */
export const drivenStates = ['active', 'in_doubt', 'awaiting_customer'] as const;
/** The states of an unfinished operation. `manual` waits for a person. */
export const openStates = [...drivenStates, 'manual'] as const;
export type OperationState = (typeof openStates)[number] | 'succeeded' | 'failed';

/** A row of `payment_operations`. */
export type Operation = {
  readonly id: string;
  readonly clientId: string;
  readonly paymentId: string;
  readonly kind: OperationKind;
  readonly state: OperationState;
  readonly amountMinor: number;
  readonly attempt: number;
  /** Goes up with every lease holder; a lease holder with an older epoch writes nothing. */
  readonly epoch: number;
  readonly leaseOwner: string | null;
  readonly leaseUntil: Date | null;
  readonly checks: number;
  readonly firstSentAt: Date;
  readonly idempotencyKey: string | null;
  readonly rawSha256: Buffer | null;
  readonly canonSha256: Buffer;
  readonly cardTokenSha256: Buffer | null;
  readonly requestId: string | null;
  readonly responseStatus: number | null;
  readonly responseBody: string | null;
  readonly challenge: { url: string | null; clientSecret: string | null } | null;
  readonly lastErrorCode: string | null;
};

/**
 * The provider's idempotency key. Nothing in it changes with a lease, a process or a retry, because
 * a new key is a new request to the provider.
 */
export const providerKey = (operation: Operation): string =>
  `op-${operation.id}-${operation.attempt}`;

const second = 1000;
const hour = 3600 * second;
const checkSeconds = [1, 2, 5, 10, 30, 60, 120, 300, 600] as const;

/** When an operation in doubt is asked about again; `jitter` in 0..1 varies the pause by up to 20 %. */
export function nextCheck(now: Date, checks: number, jitter: number): Date {
  const seconds = checkSeconds[Math.min(checks, checkSeconds.length - 1)] ?? 600;
  return new Date(now.getTime() + seconds * second * (0.8 + 0.4 * jitter));
}

/**
 * The code of an operation of which nothing was sent yet, because other calls to its provider's
 * account go first. It has no lease: a repeat of its request, or the recovery worker, sends it.
 */
export const heldBack = 'held_back';

/** When an operation that was held back is taken up again; `jitter` as in `nextCheck`. */
export const nextTurn = (now: Date, jitter: number): Date =>
  new Date(now.getTime() + second * (0.8 + 0.4 * jitter));

/** How long a buyer may take for a challenge before the attempt is ended. */
export const challengeMs = hour;

/**
 * The provider forgets keys after a day. After this time only reads are safe for a charge, and a
 * result that the provider has stored for the key of a capture or a cancel proves nothing about an
 * earlier send.
 */
export const resendMs = 20 * hour;
/** After this time a person has to look at the operation, */
export const manualMs = 24 * hour;
/** once this many readings have found nothing: after a day's standstill the first reading may simply fail. */
export const manualChecks = 12;

/** A charge that stayed in doubt until the provider forgot its key: only a person may end it. */
export const needsPerson = (
  { kind, checks, firstSentAt }: Pick<Operation, 'kind' | 'checks' | 'firstSentAt'>,
  { state, now }: { readonly state: OperationState; readonly now: Date },
): boolean =>
  state === 'in_doubt' &&
  kind === 'authorize' &&
  checks >= manualChecks &&
  now.getTime() - firstSentAt.getTime() > manualMs;

/** The failure code of a payment of which the provider shows a capture of another amount. */
export const capturedOtherwise = 'captured_amount_differs';
/** The failure code of an attempt that the page confirmed with another capture method. */
export const confirmedOtherwise = 'confirmed_otherwise';
/** The failure code of an operation that the operator calls failed. */
export const settledByOperator = 'settled_by_operator';
/** The code of the expiry of a hold that the provider still has, before its deadline. */
export const stillHeld = 'still_held';

export const isFinished = ({ state }: Pick<Operation, 'state'>): boolean =>
  state === 'succeeded' || state === 'failed';

/**
 * The payment and the body's digests of a request, for comparison with the operation that has the
 * same key.
 */
export type RequestIdentity = {
  readonly paymentId: string;
  readonly rawSha256: Buffer;
  readonly canonSha256: Buffer;
};

const isSameRequest = (operation: Operation, request: RequestIdentity): boolean =>
  operation.paymentId === request.paymentId &&
  (operation.canonSha256.equals(request.canonSha256) ||
    operation.rawSha256?.equals(request.rawSha256) === true);

/** Another process works on the operation, and its lease has not expired. */
export const isLeasedByOther = (operation: Operation, owner: string, now: Date): boolean =>
  operation.leaseUntil !== null && operation.leaseUntil > now && operation.leaseOwner !== owner;

export type ClaimDecision =
  | { readonly step: 'start' }
  /** The same attempt with the next epoch: the lease holder is gone or the outcome is open. */
  | { readonly step: 'take_over' }
  /** The next attempt: the previous one ended with a recorded refusal. */
  | { readonly step: 'retry' }
  | { readonly step: 'replay' }
  | { readonly step: 'wait' }
  | {
      readonly step: 'refuse';
      readonly code:
        | 'idempotency_key_reused'
        | 'payment_operation_in_progress'
        | 'payment_not_authorized'
        | 'authorization_expired'
        | 'gateway_outcome_unknown';
    };

/**
 * Decides, under the payment's lock, what a capture or cancel may do. `sameKey` is the operation
 * with the request's key, `open` is any unfinished operation of the payment. Spec: Payments,
 * idempotency rules and Errors. Contract §2, Idempotency.
 */
export function decideClaim(facts: {
  payment: Payment;
  now: Date;
  request: RequestIdentity;
  /** Made once per request, so that a claim whose commit was lost is recognised. */
  leaseOwner: string;
  sameKey: Operation | undefined;
  open: Operation | undefined;
}): ClaimDecision {
  const { payment, now, request, leaseOwner, sameKey, open } = facts;
  if (!sameKey) {
    // The buyer's bank may take an hour to answer, and until then there is no hold: a client that
    // received payment_operation_in_progress would poll for that hour.
    const isBuyersTurn = open?.kind === 'authorize' && open.state === 'awaiting_customer';
    if (isBuyersTurn) return { step: 'refuse', code: 'payment_not_authorized' };
    if (open) return { step: 'refuse', code: refuseBesideOpen(payment) };
    const code = refuseHoldOperation(payment, now);
    return code ? { step: 'refuse', code } : { step: 'start' };
  }
  if (!isSameRequest(sameKey, request)) return { step: 'refuse', code: 'idempotency_key_reused' };
  if (sameKey.responseStatus !== null) return { step: 'replay' };
  if (sameKey.state === 'manual') return { step: 'refuse', code: 'gateway_outcome_unknown' };
  if (sameKey.state === 'failed') {
    if (open) return { step: 'refuse', code: refuseBesideOpen(payment) };
    const code = refuseHoldOperation(payment, now);
    return code ? { step: 'refuse', code } : { step: 'retry' };
  }
  return { step: isLeasedByOther(sameKey, leaseOwner, now) ? 'wait' : 'take_over' };
}

/**
 * The provider shows a capture of another amount, which may wait for the operator: a client that
 * received payment_operation_in_progress would poll until then.
 */
const refuseBesideOpen = ({ failureCode }: Payment) =>
  failureCode === capturedOtherwise ? 'payment_not_authorized' : 'payment_operation_in_progress';
