// How a result of the provider changes the reference model. Specification, States and transitions;
// contract §2. There are three outcomes: an unknown one never counts as failed.

import { isCaptured } from './moves.ts';
import type {
  ModelOperation,
  MoveAnswer,
  Purchase,
  Reference,
  Refund,
  VoidReason,
  Word,
} from './reference.ts';

const day = 24 * 3_600_000;
const hold = 7 * day;

const refusedAnswer = (status: number, code: string): MoveAnswer => ({
  status,
  code,
  isReplayed: false,
  shown: null,
});

const declines: readonly string[] = ['declined', 'authentication_failed'];
const unknown = refusedAnswer(502, 'gateway_outcome_unknown');

/**
 * Applies the result that the holder of `epoch` received; returns null when that holder no longer
 * holds the operation.
 */
export function applyWord(
  model: Reference,
  work: ModelOperation,
  { epoch, word, deadline }: { epoch: number; word: Word; deadline: number | null },
): MoveAnswer | null {
  if (work.epoch !== epoch || work.state === 'done' || work.state === 'refused') return null;
  if (work.kind === 'refund') return hearRefund(model, work, word);
  const purchase = model.purchase(work.purchaseId);
  if (work.kind === 'authorize') return hearAttempt(model, work, { purchase, word, deadline });
  return hearHold(model, work, { purchase, word });
}

function capture(purchase: Purchase): void {
  purchase.status = 'succeeded';
  purchase.captured = purchase.amount;
  purchase.events.push('purchase');
}

/** Contract §2: a capture that is reversed later ends as failed, through unknown. */
function reverseCapture(purchase: Purchase): void {
  purchase.status = 'failed';
  purchase.captured = 0;
  purchase.events.push('payment.capture_failed');
}

const failureKind = (work: ModelOperation): string =>
  work.kind === 'cancel' ? 'cancel' : 'capture';

function release(purchase: Purchase, reason: VoidReason): void {
  purchase.status = 'voided';
  purchase.voidReason = reason;
  purchase.events.push(
    reason === 'expired' ? 'payment.authorization_expired' : 'payment.authorization_voided',
  );
}

/**
 * Why a hold that the provider released has ended: by itself, by expiry, or by somebody at the
 * provider.
 */
const reasonOf = (model: Reference, purchase: Purchase, because: 'expired' | 'canceled') =>
  because === 'expired' || (purchase.expiresAt !== null && purchase.expiresAt <= model.now)
    ? 'expired'
    : 'provider_canceled';

function hearHold(
  model: Reference,
  work: ModelOperation,
  { purchase, word }: { purchase: Purchase; word: Word },
): MoveAnswer {
  const successAnswer = (): MoveAnswer => ({
    status: 200,
    code: null,
    isReplayed: false,
    shown: model.shownPurchase(purchase),
  });
  if (word.said === 'captured') {
    capture(purchase);
    const isWanted = work.kind === 'capture';
    return model.finish(
      work,
      isWanted ? successAnswer() : refusedAnswer(409, 'payment_not_authorized'),
    );
  }
  if (word.said === 'released') {
    const isOurs = work.kind === 'cancel' && word.because === 'canceled' && !word.isOthers;
    const reason = isOurs ? 'merchant_requested' : reasonOf(model, purchase, word.because);
    // A capture in doubt was not made: its event comes first.
    const isNotMade = work.kind === 'capture' && purchase.status === 'unknown';
    if (isNotMade) purchase.events.push('payment.capture_failed');
    release(purchase, reason);
    const code = reason === 'expired' ? 'authorization_expired' : 'payment_not_authorized';
    return model.finish(work, isOurs ? successAnswer() : refusedAnswer(409, code));
  }
  // The outcome is unknown between a capture without a response and its reversal.
  if (word.said === 'taken_back' && purchase.status === 'unknown') {
    reverseCapture(purchase);
    return model.leave(work, 'refused', refusedAnswer(502, `gateway_${failureKind(work)}_failed`));
  }
  // An expired hold does not change until the provider has released it.
  if (work.kind === 'expire' && word.said !== 'taken_back') {
    return model.leave(work, 'open', unknown);
  }
  if (word.said === 'refused') {
    purchase.status = 'authorized';
    if (work.kind === 'capture') purchase.events.push('payment.capture_failed');
    return model.leave(work, 'refused', refusedAnswer(502, `gateway_${work.kind}_failed`));
  }
  purchase.status = 'unknown';
  return model.leave(work, 'open', unknown);
}

function hearAttempt(
  model: Reference,
  work: ModelOperation,
  { purchase, word, deadline }: { purchase: Purchase; word: Word; deadline: number | null },
): MoveAnswer {
  const done = (): MoveAnswer => ({ status: 200, code: null, isReplayed: false, shown: null });
  const failAnswer = (code: string): MoveAnswer => {
    purchase.status = 'failed';
    purchase.events.push('payment.failed');
    return model.finish(work, refusedAnswer(code === 'gateway_unavailable' ? 502 : 402, code));
  };
  if (word.said === 'captured') {
    capture(purchase);
    return model.finish(work, done());
  }
  if (word.said === 'held') {
    purchase.status = 'authorized';
    purchase.authorizedAt ??= model.now;
    // The service stops captures a minute before the provider's deadline; without a deadline, after
    // seven days.
    purchase.expiresAt ??= deadline === null ? model.now + hold : deadline - 60_000;
    purchase.events.push('payment.authorized');
    return model.finish(work, done());
  }
  if (word.said === 'released') return failAnswer('card_declined');
  if (word.said === 'refused') {
    return failAnswer(declines.includes(word.code) ? 'card_declined' : 'gateway_unavailable');
  }
  if (word.said === 'action') {
    work.isChallenged = true;
    return model.leave(work, 'awaiting_customer', done());
  }
  if (word.said === 'processing') {
    if (purchase.status === 'pending') purchase.status = 'processing';
    return model.leave(work, 'open', refusedAnswer(202, 'processing'));
  }
  purchase.status = 'unknown';
  return model.leave(work, 'open', refusedAnswer(202, 'processing'));
}

function hearRefund(model: Reference, work: ModelOperation, word: Word): MoveAnswer {
  const refund = model.refund(work.rowId);
  applyRefundWord(model, refund, word);
  const shown = model.shownRefund(refund);
  if (refund.status === 'succeeded' || refund.status === 'refund_failed') {
    return model.finish(work, { status: 201, code: null, isReplayed: false, shown });
  }
  const isUnderWay = refund.status === 'processing';
  return model.leave(
    work,
    'open',
    isUnderWay ? { status: 201, code: null, isReplayed: false, shown } : unknown,
  );
}

/** A refund only moves forward; a succeeded one can still fail late. */
export function applyRefundWord(model: Reference, refund: Refund, word: Word): void {
  const { status } = refund;
  if (status === 'refund_failed') return;
  if (word.said === 'returned' || word.said === 'refused') {
    model.moveRefund(refund, 'refund_failed');
  } else if (status !== 'succeeded') {
    if (word.said === 'given') model.moveRefund(refund, 'succeeded');
    else if (status === 'pending') {
      model.moveRefund(refund, word.said === 'under_way' ? 'processing' : 'unknown');
    }
  }
}

/** Applies a read of a payment on which nobody works. Returns true when its status changed. */
export function readPayment(model: Reference, purchase: Purchase, word: Word): boolean {
  if (word.said === 'taken_back') {
    if (!['authorized', 'succeeded', 'unknown'].includes(purchase.status)) return false;
    // A running refund of the money ends first.
    const isGiven = purchase.refunded + purchase.pending > 0;
    if (isGiven && purchase.status === 'unknown') return false;
    if (isGiven) purchase.status = 'unknown';
    else reverseCapture(purchase);
    return true;
  }
  if (purchase.status !== 'authorized') return false;
  if (word.said === 'captured') capture(purchase);
  else if (word.said === 'released') release(purchase, reasonOf(model, purchase, word.because));
  else return false;
  return true;
}

/**
 * Whether the merchant should know that the hold ends: a day before, or when half of a shorter one is over. A
 * hold that was found late counts from when it was found. Contract §2, Hold.
 */
export function isEndNear({ authorizedAt, expiresAt }: Purchase, now: number): boolean {
  if (authorizedAt === null || expiresAt === null) return false;
  return now >= Math.max(expiresAt - day, (authorizedAt + expiresAt) / 2);
}

/** Records the event `payment.authorization_expiring`, once per hold. */
export function recordWarning(purchase: Purchase): boolean {
  if (purchase.status !== 'authorized' || purchase.warned) return false;
  purchase.warned = true;
  purchase.events.push('payment.authorization_expiring');
  return true;
}

/** Returns the violations of rules that hold for every payment at every moment. */
export function findContradictions(model: Reference): string[] {
  return [...model.purchases.values()].flatMap((one) => {
    const captures = one.events.filter((event) => event === 'purchase').length;
    return [
      captures > 1 ? [`${one.id} told ${captures} purchases`] : [],
      one.refunded + one.pending > one.captured ? [`${one.id} gives back too much`] : [],
      isCaptured(one.status) !== one.captured > 0 && one.status !== 'unknown'
        ? [`${one.id} is ${one.status} with ${one.captured} captured`]
        : [],
      (one.status === 'voided') !== (one.voidReason !== null) ? [`${one.id} lacks a reason`] : [],
    ].flat();
  });
}
