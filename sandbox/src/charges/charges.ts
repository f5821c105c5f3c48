// Charges: one per attempt on a payment intent, including declined ones.

import type { Behaviour, Decline } from '../cards/cards.ts';
import type { Actor, Route } from '../core/core.ts';
import { answerList, pageRules } from '../core/lists.ts';
import { emitEvent } from '../events/events.ts';
import { mergeMetadata, readText, textOrNull } from '../requests/parameters.ts';
import type { Kinds, StoredObject } from '../state/resources.ts';
import { bookBalance, feeOf } from './balance-transactions.ts';

/** How long a card hold lasts before the provider releases it. */
export const holdSeconds = 7 * 86_400;

type Attempt = {
  intent: Kinds['payment_intent'];
  method: Kinds['payment_method'];
  behaviour: Behaviour;
  wasAuthenticated: boolean;
  decline?: Decline;
  /** What the bank says of the address and the security code. */
  checks: NonNullable<CardDetails['checks']>;
};

type CardDetails = NonNullable<NonNullable<Kinds['charge']['payment_method_details']>['card']>;

/** What the charge says of the wallet that handed the card out. */
const walletOf = (
  wallet: NonNullable<Kinds['payment_method']['card']>['wallet'],
): CardDetails['wallet'] =>
  wallet && { dynamic_last4: wallet.dynamic_last4, type: wallet.type, [wallet.type]: {} };

const describeCard = (
  actor: Actor,
  { intent, method, wasAuthenticated, decline, checks }: Attempt,
) => {
  const card = method.card;
  if (!card) throw new Error('a payment method without a card');
  const isHold = intent.capture_method === 'manual' && !decline;
  const details: CardDetails = {
    amount_authorized: decline ? null : intent.amount,
    authorization_code: decline ? null : actor.core.ids.next('', 6).toUpperCase(),
    brand: card.brand,
    ...(isHold ? { capture_before: actor.core.clock.now() + holdSeconds } : {}),
    checks,
    country: card.country,
    electronic_commerce_indicator: null,
    exp_month: card.exp_month,
    exp_year: card.exp_year,
    extended_authorization: { status: 'disabled' },
    fingerprint: card.fingerprint ?? null,
    funding: card.funding,
    incremental_authorization: { status: 'unavailable' },
    installments: null,
    last4: card.last4,
    mandate: null,
    multicapture: { status: 'unavailable' },
    network: card.brand,
    network_token: { used: false },
    network_transaction_id: decline ? null : actor.core.ids.next('', 15),
    overcapture: { maximum_amount_capturable: intent.amount, status: 'unavailable' },
    regulated_status: 'unregulated',
    three_d_secure: wasAuthenticated
      ? {
          authentication_flow: 'challenge',
          electronic_commerce_indicator: '05',
          exemption_indicator: null,
          result: 'authenticated',
          result_reason: null,
          transaction_id: actor.core.ids.next('', 36),
          version: '2.2.0',
        }
      : null,
    transaction_link_id: null,
    wallet: walletOf(card.wallet),
  };
  return details;
};

/** The outcome of a charge that the provider blocked without asking the bank. */
const blocked = {
  network_status: 'not_sent_to_network',
  reason: 'highest_risk_level',
  seller_message: 'Stripe blocked this payment as too risky.',
  type: 'blocked',
} as const;

const riskScores = { normal: 20, elevated: 66, highest: 92 } as const;

const outcomeOf = ({ decline, behaviour }: Attempt): Kinds['charge']['outcome'] => ({
  advice_code: decline?.advice ?? null,
  network_advice_code: decline?.networkAdvice ?? null,
  network_decline_code: decline?.network ?? null,
  network_status: decline ? 'declined_by_network' : 'approved_by_network',
  reason: decline?.declineCode ?? null,
  risk_level: behaviour.risk,
  risk_score: riskScores[behaviour.risk],
  seller_message: decline
    ? 'The bank did not return any further details with this decline.'
    : 'Payment complete.',
  type: decline ? 'issuer_declined' : 'authorized',
  ...(decline && behaviour.isBlocked ? blocked : {}),
});

// As in recorded charges: also of a hold, not of a declined charge.
const receiptUrl = ({ core, account }: Actor, charge: string): string =>
  `${core.baseUrl()}/receipts/${account}/${charge}/${core.ids.next('rcpt_')}`;

/** Adds an authorised or declined charge. Nothing is captured yet. */
export const insertCharge = (actor: Actor, attempt: Attempt): StoredObject<'charge'> => {
  const { intent, method, decline } = attempt;
  const id = actor.core.ids.next('ch_');
  const object: Kinds['charge'] = {
    id,
    object: 'charge',
    amount: intent.amount,
    amount_captured: 0,
    amount_refunded: 0,
    application: null,
    application_fee: null,
    application_fee_amount: null,
    balance_transaction: null,
    billing_details: method.billing_details,
    calculated_statement_descriptor: intent.statement_descriptor_suffix
      ? `SANDBOX* ${intent.statement_descriptor_suffix}`.toUpperCase()
      : 'SANDBOX',
    captured: false,
    created: actor.core.clock.now(),
    currency: intent.currency,
    customer: intent.customer,
    description: intent.description,
    disputed: false,
    failure_balance_transaction: null,
    failure_code: decline?.code ?? null,
    failure_message: decline?.message ?? null,
    fraud_details: {},
    livemode: false,
    metadata: intent.metadata,
    on_behalf_of: null,
    outcome: outcomeOf(attempt),
    paid: !decline,
    payment_intent: intent.id,
    payment_method: method.id,
    payment_method_details: { type: 'card', card: describeCard(actor, attempt) },
    receipt_email: intent.receipt_email,
    receipt_number: null,
    receipt_url: decline ? null : receiptUrl(actor, id),
    refunded: false,
    review: null,
    shipping: intent.shipping,
    source: null,
    source_transfer: null,
    statement_descriptor: null,
    statement_descriptor_suffix: intent.statement_descriptor_suffix,
    status: decline ? 'failed' : 'succeeded',
    transfer_data: null,
    transfer_group: intent.transfer_group,
  };
  return actor.core.resources.insert('charge', { account: actor.account, object, notes: {} });
};

/** Captures `amount` of the hold, releases the rest and books the balance transaction. */
export const captureCharge = (
  actor: Actor,
  charge: StoredObject<'charge'>,
  { amount, isAvailableAtOnce }: { amount: number; isAvailableAtOnce: boolean },
): void => {
  const { object } = charge;
  object.captured = true;
  object.amount_captured += amount;
  object.balance_transaction = bookBalance(actor, {
    amount,
    currency: object.currency,
    fee: feeOf(amount),
    source: object.id,
    description: object.description,
    type: 'charge',
    category: 'charge',
    isAvailableAtOnce,
  });
  actor.core.resources.save(charge);
};

export const chargeRoutes: Route[] = [
  {
    method: 'GET',
    path: '/charges',
    accepts: { ...pageRules, customer: 'text', payment_intent: 'text', transfer_group: 'text' },
    run: (call) => {
      const group = readText(call.values, 'transfer_group');
      return answerList(call, 'charge', {
        url: '/v1/charges',
        customer: readText(call.values, 'customer'),
        intent: readText(call.values, 'payment_intent'),
        ...(group ? { keep: (charge) => charge.transfer_group === group } : {}),
      });
    },
  },
  {
    method: 'GET',
    path: '/charges/:id',
    accepts: { expand: 'list' },
    run: (call) => call.core.resources.get('charge', call.id, { account: call.account }).object,
  },
  {
    method: 'POST',
    path: '/charges/:id',
    accepts: {
      description: 'text',
      metadata: 'map',
      receipt_email: 'text',
      transfer_group: 'text',
      expand: 'list',
    },
    run: (call) => {
      const kept = call.core.resources.get('charge', call.id, { account: call.account });
      const { object } = kept;
      object.metadata = mergeMetadata(object.metadata, call.values);
      object.description = textOrNull(call.values, 'description') ?? object.description;
      object.receipt_email = textOrNull(call.values, 'receipt_email') ?? object.receipt_email;
      object.transfer_group = textOrNull(call.values, 'transfer_group') ?? object.transfer_group;
      call.core.resources.save(kept);
      emitEvent(call, 'charge.updated', { object });
      return object;
    },
  },
];
