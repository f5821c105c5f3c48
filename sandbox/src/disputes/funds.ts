// The money of a dispute. The signs are the provider's: what leaves the account is negative, with its fee
// in a field of its own, and what returns is positive. Each movement is one balance transaction in the
// dispute, one entry in the ledger and one event.
import { bookBalance } from '../charges/balance-transactions.ts';
import type { Actor } from '../core/core.ts';
import { emitEvent } from '../events/events.ts';
import { ApiError } from '../requests/errors.ts';
import type { StoredObject } from '../state/resources.ts';

export type Dispute = StoredObject<'dispute'>;

const disputeFee = 1500;

/** The error for a step that the dispute's state does not allow: 400 without a code, as at the provider. */
export const refuseDispute = (message: string): ApiError =>
  new ApiError(400, { type: 'invalid_request_error', message }, { isRemembered: true });

/** Returns the amount that was withdrawn for this dispute and has not returned. */
export const withdrawnBy = ({ object }: Dispute): number =>
  -object.balance_transactions.reduce((sum, booked) => sum + booked.amount, 0);

type Movement = { kind: 'dispute_withdrawn' | 'dispute_reinstated'; amount: number };

const moveFunds = (actor: Actor, dispute: Dispute, { kind, amount }: Movement): void => {
  const { core, account } = actor;
  const { object } = dispute;
  const charge = core.resources.get('charge', String(object.charge), { account });
  const isWithdrawal = kind === 'dispute_withdrawn';
  const booked = bookBalance(actor, {
    amount: isWithdrawal ? -amount : amount,
    currency: object.currency,
    fee: isWithdrawal ? disputeFee : 0,
    feeText: 'Dispute fee',
    source: object.id,
    description: `Chargeback ${isWithdrawal ? 'withdrawal' : 'reversal'} for ${charge.object.id}`,
    type: 'adjustment',
    category: isWithdrawal ? 'dispute' : 'dispute_reversal',
  });
  object.balance_transactions.push(
    core.resources.get('balance_transaction', booked, { account }).object,
  );
  core.resources.save(dispute);
  core.ledger.append({
    at: core.clock.nowMs(),
    account,
    kind,
    object: object.id,
    intent: typeof object.payment_intent === 'string' ? object.payment_intent : null,
    charge: charge.object.id,
    amount,
    currency: object.currency,
    idempotencyKey: actor.idempotencyKey,
    metadata: charge.object.metadata,
    origin: actor.origin,
    request: actor.request,
  });
};

const assertAmount = (amount: number, limit: number, what: string): void => {
  if (amount >= 1 && amount <= limit) return;
  throw refuseDispute(`${what}: ${amount} of at most ${limit}.`);
};

/** Withdraws the disputed amount, or a part of it, from the account. Emits no event. */
export const takeFunds = (actor: Actor, dispute: Dispute, amount?: number): void => {
  const left = dispute.object.amount - withdrawnBy(dispute);
  const moved = amount ?? left;
  assertAmount(moved, left, `Dispute ${dispute.object.id} has nothing like this to withdraw`);
  dispute.object.is_charge_refundable = false;
  moveFunds(actor, dispute, { kind: 'dispute_withdrawn', amount: moved });
};

/** Returns the withdrawn amount, or a part of it, to the account: `charge.dispute.funds_reinstated`. */
export const reinstateFunds = (actor: Actor, dispute: Dispute, amount?: number): void => {
  const withdrawn = withdrawnBy(dispute);
  const moved = amount ?? withdrawn;
  assertAmount(moved, withdrawn, `Dispute ${dispute.object.id} has nothing like this to reinstate`);
  moveFunds(actor, dispute, { kind: 'dispute_reinstated', amount: moved });
  emitEvent(actor, 'charge.dispute.funds_reinstated', { object: dispute.object });
};
