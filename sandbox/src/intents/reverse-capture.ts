// A capture that the provider reverses long after it succeeded, because the bank behind it never pays: the
// charge becomes failed, and the intent requires another payment method.

import { declines } from '../cards/cards.ts';
import { bookBalance } from '../charges/balance-transactions.ts';
import type { Actor } from '../core/core.ts';
import { emitEvent } from '../events/events.ts';
import { getIntent, unexpectedState } from './intent-guards.ts';
import { chargeOf, failIntent, move } from './intent-moves.ts';

/** Throws 400 unless the intent has succeeded and nothing of it was refunded or disputed. */
export const takeBackCapture = (actor: Actor, id: string) => {
  const intent = getIntent(actor, id);
  if (intent.object.status !== 'succeeded') {
    throw unexpectedState(
      intent,
      `Only a captured PaymentIntent can be taken back, not ${intent.object.status}.`,
    );
  }
  const charge = chargeOf(actor, intent);
  const { object } = charge;
  if (object.amount_refunded > 0 || object.disputed) {
    throw unexpectedState(intent, 'A refunded or disputed charge is not taken back.');
  }
  const { declineCode } = declines.generic_decline;
  const failure = {
    code: 'card_declined',
    message: 'The payment was captured, and the bank took it back later.',
  };
  object.status = 'failed';
  object.paid = false;
  object.failure_code = failure.code;
  object.failure_message = failure.message;
  object.failure_balance_transaction = bookBalance(actor, {
    amount: -object.amount_captured,
    currency: object.currency,
    fee: 0,
    source: object.id,
    description: `REVERSAL OF CHARGE (${object.id})`,
    type: 'payment_failure_refund',
    category: 'charge_failure',
  });
  actor.core.resources.save(charge);
  intent.object.amount_received = 0;
  move(actor, 'take_back', { intent, charge, amount: object.amount_captured });
  emitEvent(actor, 'charge.failed', { object });
  const method = actor.core.resources.find('payment_method', String(object.payment_method));
  failIntent(actor, intent, {
    type: 'card_error',
    ...failure,
    decline_code: declineCode,
    charge: object.id,
    ...(method ? { payment_method: method.object } : {}),
  });
  return intent.object;
};
