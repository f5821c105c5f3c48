// Refunds, full or partial, which succeed at once. Some test cards have refunds that stay pending for a
// while, or that the bank returns later. The money leaves when a refund is made, pending or not.

import type { Actor, Call, Route } from '../core/core.ts';
import { answerList, pageRules } from '../core/lists.ts';
import { emitEvent } from '../events/events.ts';
import { behaviourFor } from '../payment-methods/payment-methods.ts';
import { followCharge } from '../radar/warnings.ts';
import { type ApiError, invalidParameter, stateError } from '../requests/errors.ts';
import { mergeMetadata, number, readText } from '../requests/parameters.ts';
import type { MovementKind } from '../state/ledger.ts';
import type { StoredObject } from '../state/resources.ts';
import { bookBalance } from './balance-transactions.ts';

type Charge = StoredObject<'charge'>;
type Refund = StoredObject<'refund'>;

const laterMs = 3_000;

const move = (actor: Actor, kind: MovementKind, refund: Refund): void => {
  const { object } = refund;
  actor.core.ledger.append({
    at: actor.core.clock.nowMs(),
    account: actor.account,
    kind,
    object: object.id,
    intent: typeof object.payment_intent === 'string' ? object.payment_intent : null,
    charge: typeof object.charge === 'string' ? object.charge : null,
    amount: object.amount,
    currency: object.currency,
    idempotencyKey: actor.idempotencyKey,
    metadata: object.metadata ?? {},
    origin: actor.origin,
    request: actor.request,
  });
};

const findCharge = (call: Call): Charge => {
  const { values, core, account } = call;
  const id = readText(values, 'charge');
  const intentId = readText(values, 'payment_intent');
  if (id && intentId) {
    throw invalidParameter(
      'parameters_exclusive',
      'charge',
      'You may only specify one of these parameters: charge, payment_intent.',
    );
  }
  if (id) return core.resources.get('charge', id, { account, param: 'charge' });
  if (!intentId) {
    throw invalidParameter(
      'parameter_missing',
      'charge',
      'One of the following params should be provided for this request: payment_intent or charge.',
    );
  }
  const scope = { account, param: 'payment_intent' };
  const { object } = core.resources.get('payment_intent', intentId, scope);
  const latest = object.latest_charge;
  const charge = typeof latest === 'string' ? core.resources.find('charge', latest) : undefined;
  if (charge?.object.captured) return charge;
  throw stateError(
    'payment_intent_unexpected_state',
    `This PaymentIntent (${intentId}) does not have a successful charge to refund.`,
    { param: 'payment_intent', payment_intent: object },
  );
};

// An open or lost dispute has already taken the money. A won one, or an inquiry, has not.
const isChargedBack = (call: Call, { object }: Charge): boolean =>
  object.disputed &&
  call.core.resources
    .list('dispute', call.account, { charge: object.id, limit: -1 })
    .some((dispute) => !dispute.object.is_charge_refundable);

const refuseByCharge = (call: Call, charge: Charge, amount: number): ApiError | undefined => {
  const { object } = charge;
  if (!object.captured || object.status !== 'succeeded') {
    return stateError('charge_not_refundable', `Charge ${object.id} has not been captured.`);
  }
  if (isChargedBack(call, charge)) {
    return stateError(
      'charge_disputed',
      `Charge ${object.id} has been charged back; cannot issue a refund.`,
    );
  }
  const left = object.amount_captured - object.amount_refunded;
  if (left <= 0) {
    return stateError('charge_already_refunded', `Charge ${object.id} has already been refunded.`);
  }
  if (amount <= left) return undefined;
  // Recorded answers have no code.
  return stateError(
    undefined,
    `Refund amount (${amount}) is greater than unrefunded amount on charge (${left}).`,
    { param: 'amount' },
  );
};

type RefundTerms = { amount: number; isPending: boolean };

const insertRefund = (call: Call, charge: Charge, { amount, isPending }: RefundTerms): Refund => {
  const { object: paid } = charge;
  const id = call.core.ids.next('re_');
  const created = call.core.clock.now();
  const refund: Refund = {
    account: call.account,
    notes: {},
    object: {
      id,
      object: 'refund',
      amount,
      balance_transaction: bookBalance(call, {
        amount: -amount,
        currency: paid.currency,
        fee: 0,
        source: id,
        description: `REFUND FOR CHARGE (${paid.id})`,
        type: 'refund',
        category: 'refund',
        at: created,
      }),
      charge: paid.id,
      created,
      currency: paid.currency,
      customer: paid.customer,
      customer_account: null,
      destination_details: {
        type: 'card',
        card: {
          reference_status: 'pending',
          reference_type: 'acquirer_reference_number',
          type: 'refund',
        },
      },
      metadata: mergeMetadata({}, call.values),
      payment_intent: paid.payment_intent,
      payment_method: paid.payment_method,
      ...(isPending ? { pending_reason: 'processing' } : {}),
      reason: readText(call.values, 'reason') ?? null,
      receipt_number: null,
      source_transfer_reversal: null,
      status: isPending ? 'pending' : 'succeeded',
      transfer_reversal: null,
    },
  };
  return call.core.resources.insert('refund', refund);
};

const setRefunded = (actor: Actor, charge: Charge, change: number): void => {
  charge.object.amount_refunded += change;
  charge.object.refunded = charge.object.amount_refunded >= charge.object.amount_captured;
  actor.core.resources.save(charge);
};

const create = (call: Call) => {
  const charge = findCharge(call);
  const given = number(call.values, 'amount');
  const left = charge.object.amount_captured - charge.object.amount_refunded;
  if (given !== undefined && given < 1) {
    throw invalidParameter(
      'parameter_invalid_integer',
      'amount',
      'This value must be greater than or equal to 1.',
    );
  }
  // Unguarded: a second full refund under a new key is a second movement of the same amount.
  const isUnguarded = call.core.mode === 'unguarded' && charge.object.captured;
  const amount = given ?? (isUnguarded && left <= 0 ? charge.object.amount_captured : left);
  const refusal = refuseByCharge(call, charge, amount);
  if (refusal && !isUnguarded) throw refusal;
  if (call.isForcedToDecline) {
    throw stateError('balance_insufficient', 'Insufficient funds in your Stripe balance.');
  }
  const method = call.core.resources.find('payment_method', String(charge.object.payment_method));
  const afterwards = method ? behaviourFor(method).afterwards : 'nothing';
  const isPending = afterwards === 'refund_pends';
  const refund = insertRefund(call, charge, { amount, isPending });
  setRefunded(call, charge, amount);
  move(call, 'refund', refund);
  emitEvent(call, 'refund.created', { object: refund.object });
  emitEvent(call, 'charge.refunded', { object: charge.object });
  const isFraud = refund.object.reason === 'fraudulent';
  followCharge(call, charge.object, isFraud ? 'refunded_as_fraud' : 'refunded');
  if (charge.object.refunded && charge.object.disputed) {
    // Due now, so that the next call already finds the inquiry closed.
    call.core.schedule.add(call.core.clock.nowMs(), {
      task: 'close_inquiries',
      account: call.account,
      object: charge.object.id,
    });
  }
  if (isPending || afterwards === 'refund_fails') {
    call.core.schedule.add(call.core.clock.nowMs() + laterMs, {
      task: isPending ? 'finish_refund' : 'fail_refund',
      account: call.account,
      object: refund.object.id,
    });
  }
  return refund.object;
};

/** A person refunds a captured intent in the dashboard: an amount, or all that is left. */
export const refundByHand = (actor: Actor, intent: string, amount: number | undefined) => {
  const values = { payment_intent: intent, ...(amount === undefined ? {} : { amount }) };
  return create({ ...actor, key: 'secret', isHostedField: false, id: '', values });
};

const announceUpdate = (actor: Actor, refund: Refund, previous: object): void => {
  const change = { object: refund.object, previous: { ...previous } };
  emitEvent(actor, 'refund.updated', change);
  emitEvent(actor, 'charge.refund.updated', change);
};

/** Completes a pending refund. Returns false when it is not pending any more. */
export const finishRefund = (actor: Actor, id: string): boolean => {
  const refund = actor.core.resources.get('refund', id, { account: actor.account });
  if (refund.object.status !== 'pending') return false;
  refund.object.status = 'succeeded';
  delete refund.object.pending_reason;
  actor.core.resources.save(refund);
  announceUpdate(actor, refund, { status: 'pending' });
  return true;
};

/**
 * The bank returns the refund, and the account has the money again. Returns false when it had already
 * failed.
 */
export const failRefund = (
  actor: Actor,
  id: string,
  reason = 'expired_or_canceled_card',
): boolean => {
  const { resources } = actor.core;
  const refund = resources.get('refund', id, { account: actor.account });
  const { status } = refund.object;
  if (status !== 'succeeded' && status !== 'pending') return false;
  refund.object.status = 'failed';
  delete refund.object.pending_reason;
  refund.object.failure_reason = reason;
  refund.object.failure_balance_transaction = bookBalance(actor, {
    amount: refund.object.amount,
    currency: refund.object.currency,
    fee: 0,
    source: id,
    description: `REFUND FAILURE FOR CHARGE (${String(refund.object.charge)})`,
    type: 'refund_failure',
    category: 'refund_failure',
  });
  resources.save(refund);
  const charge = resources.get('charge', String(refund.object.charge), { account: actor.account });
  setRefunded(actor, charge, -refund.object.amount);
  move(actor, 'refund_failed', refund);
  announceUpdate(actor, refund, { status });
  emitEvent(actor, 'refund.failed', { object: refund.object });
  return true;
};

const update = (call: Call) => {
  const refund = call.core.resources.get('refund', call.id, { account: call.account });
  const previous = { metadata: refund.object.metadata };
  refund.object.metadata = mergeMetadata(refund.object.metadata ?? {}, call.values);
  call.core.resources.save(refund);
  announceUpdate(call, refund, previous);
  return refund.object;
};

export const refundRoutes: Route[] = [
  {
    method: 'POST',
    path: '/refunds',
    accepts: {
      amount: 'integer',
      charge: 'text',
      payment_intent: 'text',
      reason: ['duplicate', 'fraudulent', 'requested_by_customer'],
      metadata: 'map',
      expand: 'list',
    },
    run: create,
  },
  {
    method: 'GET',
    path: '/refunds',
    accepts: { ...pageRules, charge: 'text', payment_intent: 'text' },
    run: (call) =>
      answerList(call, 'refund', {
        url: '/v1/refunds',
        charge: readText(call.values, 'charge'),
        intent: readText(call.values, 'payment_intent'),
      }),
  },
  {
    method: 'GET',
    path: '/charges/:id/refunds',
    accepts: pageRules,
    run: (call) => {
      const { account, id } = call;
      call.core.resources.get('charge', id, { account });
      return answerList(call, 'refund', { url: `/v1/charges/${id}/refunds`, charge: id });
    },
  },
  {
    method: 'GET',
    path: '/refunds/:id',
    accepts: { expand: 'list' },
    run: (call) => call.core.resources.get('refund', call.id, { account: call.account }).object,
  },
  {
    method: 'POST',
    path: '/refunds/:id',
    accepts: { metadata: 'map', expand: 'list' },
    run: update,
  },
];
