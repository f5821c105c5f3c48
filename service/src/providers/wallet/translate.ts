// Parses the wallet's answers from unknown values and translates them. Pure.

import { dateOf } from '@svc/contract/values/instants';
import type { Balance } from '../../domain/payments/balance.ts';
import { adviceFor } from '../../domain/payments/decline-advice.ts';
import {
  type Maker,
  type Making,
  type Marks,
  markMetadata,
  readMarks,
} from '../../domain/protocol/marks.ts';
import type { Advice, ProviderPayment, ProviderRefund } from '../../engine/ports.ts';
import { balanceOfCapture, balanceOfRefund } from './balance.ts';
import { type Amount, fromWalletMoney } from './money.ts';
import type { PaymentToken, SetupToken, WalletOrder } from './port.ts';

type Fields = Readonly<Record<string, unknown>>;

export const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Ids and codes in the provider's form; anything else could not be stored or shown. */
export const nameIn = (value: unknown): string | null =>
  typeof value === 'string' && /^[\w.:-]{1,255}$/.test(value) ? value : null;

const emailIn = (value: unknown): string | null =>
  typeof value === 'string' && /^[^\s@]{1,200}@[^\s@]{1,100}$/.test(value) ? value : null;

const timeIn = (value: unknown): Date | null =>
  (typeof value === 'string' ? dateOf(value) : undefined) ?? null;

const linkOf = (value: unknown, ...rels: string[]): string | null => {
  const link = listOf(value)
    .map(fieldsOf)
    .find(({ rel }) => rels.includes(String(rel)));
  return typeof link?.href === 'string' && URL.canParse(link.href) ? link.href : null;
};

export type Capture = Amount & {
  readonly captureId: string;
  readonly status: string;
  readonly movedAt: Date | null;
  readonly balance: Balance | null;
};

export type Refund = ProviderRefund;

/** The fields of an order that the service reads. */
export type Order = Amount & {
  readonly orderId: string;
  readonly status: string;
  readonly customId: string | null;
  readonly invoiceId: string | null;
  readonly approveUrl: string | null;
  readonly payerId: string | null;
  readonly payerEmail: string | null;
  readonly paymentTokenId: string | null;
  /** The customer for whom the wallet is saved. */
  readonly tokenCustomerId: string | null;
  readonly captures: readonly Capture[];
  readonly refunds: readonly Refund[];
};

/**
 * Returns when the money moved: a capture or refund that was pending moved at its last update.
 * After a refund, a capture's last update is the refund's time.
 */
const movedAtOf = (one: Fields, status: string): Date | null =>
  (status === 'COMPLETED' ? timeIn(one.update_time) : null) ?? timeIn(one.create_time);

/** Returns null unless every capture is complete. */
const readCaptures = (value: unknown): Capture[] | null => {
  const captures: Capture[] = [];
  for (const one of listOf(value).map(fieldsOf)) {
    const captureId = nameIn(one.id);
    const status = nameIn(one.status);
    const amount = fromWalletMoney(one.amount);
    if (!captureId || !status || !amount) return null;
    captures.push({
      captureId,
      status,
      ...amount,
      movedAt: movedAtOf(one, status),
      balance: balanceOfCapture(captureId, fieldsOf(one.seller_receivable_breakdown)),
    });
  }
  return captures;
};

const refundStates: Readonly<Record<string, ProviderRefund['state']>> = {
  COMPLETED: 'succeeded',
  FAILED: 'failed',
  CANCELLED: 'failed',
};

/** An order's `custom_id` names the operation, the installation and the merchant. */
export const orderCustomId = (
  making: Making | undefined,
  operationId: string,
  paymentId: string,
): string => [operationId, ...Object.values(markMetadata(making, paymentId))].join('.');

/**
 * A refund's `custom_id` names the operation, the order and the installation: the wallet's own fields
 * name none, and have no room for the merchant, who stands on the order.
 */
export const refundCustomId = (
  making: Making | undefined,
  operationId: string,
  orderId: string,
): string =>
  [operationId, orderId, ...Object.values(markMetadata(making, operationId)).slice(0, 1)].join('.');

const refundIdPattern = /^([\w-]{1,64})\.([A-Z0-9]{1,36})(?:\.([\w-]{1,64}))?$/;

const readCustomId = (value: unknown) => {
  const match = refundIdPattern.exec(typeof value === 'string' ? value : '');
  if (!match) return null;
  const [, operationId = '', orderId = '', installationId = null] = match;
  return { operationId, orderId, installationId };
};

/** Returns the order of a capture that was read by itself or came in a notice. */
export const orderOfCapture = (value: unknown): string | null =>
  nameIn(fieldsOf(fieldsOf(fieldsOf(value).supplementary_data).related_ids).order_id);

/** Returns the order of a refund that the service made; null for any other refund. */
export const orderOfRefund = (customId: unknown): string | null =>
  readCustomId(customId)?.orderId ?? null;

/** Returns null when a required field is missing. */
export function readRefund(value: unknown, orderId: string | null = null): Refund | null {
  const one = fieldsOf(value);
  const refundId = nameIn(one.id);
  const amount = fromWalletMoney(one.amount);
  if (!refundId || !amount || typeof one.status !== 'string') return null;
  const capture = /\/captures\/(\w+)$/.exec(linkOf(one.links, 'up') ?? '')?.[1];
  const named = readCustomId(one.custom_id);
  const state = refundStates[one.status] ?? 'pending';
  return {
    refundId,
    state,
    failureReason: state === 'failed' ? one.status.toLowerCase() : null,
    ...amount,
    chargeId: capture ?? null,
    effectiveAt: state === 'pending' ? null : timeIn(one.create_time),
    balance: balanceOfRefund(refundId, fieldsOf(one.seller_payable_breakdown)),
    intentId: orderId ?? named?.orderId ?? null,
    operationId: named?.operationId ?? null,
  };
}

/** Returns null unless the order is complete: of one purchase, with every field that it is judged by. */
export function readOrder(value: unknown): Order | null {
  const order = fieldsOf(value);
  const orderId = nameIn(order.id);
  const status = nameIn(order.status);
  const units = listOf(order.purchase_units);
  const unit = fieldsOf(units[0]);
  const amount = fromWalletMoney(unit.amount);
  const payments = fieldsOf(unit.payments);
  const captures = readCaptures(payments.captures);
  if (!orderId || !status || units.length !== 1 || !amount || !captures) return null;
  const refunds = listOf(payments.refunds).map((one) => readRefund(one, orderId));
  if (refunds.includes(null)) return null;
  const source = fieldsOf(fieldsOf(order.payment_source).paypal);
  const payer = fieldsOf(order.payer);
  const vault = fieldsOf(fieldsOf(source.attributes).vault);
  return {
    orderId,
    status,
    ...amount,
    customId: typeof unit.custom_id === 'string' ? unit.custom_id : null,
    invoiceId: nameIn(unit.invoice_id),
    approveUrl: linkOf(order.links, 'payer-action', 'approve'),
    payerId: nameIn(payer.payer_id),
    payerEmail: emailIn(payer.email_address) ?? emailIn(source.email_address),
    paymentTokenId: nameIn(vault.id),
    tokenCustomerId: nameIn(fieldsOf(vault.customer).id),
    captures,
    refunds: refunds as Refund[],
  };
}

const releasedPrefix = 'released.';

/**
 * The wallet cannot cancel an order: this text in its `custom_id` means that the service never
 * captures it.
 */
export const releasedMark = (customId: string): string => releasedPrefix + customId;

/** Returns the marks on an order's unit or on its capture; a wallet payment's marks name no session. */
export function marksOfUnit(unit: Fields): Marks | null {
  const [operationId] = partsOf(unit.custom_id);
  return readMarks({ paymentId: unit.invoice_id, operationId });
}

const partsOf = (customId: unknown): string[] => {
  if (typeof customId !== 'string') return [];
  const marked = customId.startsWith(releasedPrefix)
    ? customId.slice(releasedPrefix.length)
    : customId;
  return marked.split('.');
};

/** Returns who made an order, by the order's unit or its capture. */
export function makerOfUnit(unit: Fields): Maker {
  const [, installationId = null, merchantId = null] = partsOf(unit.custom_id);
  return { installationId, merchantId };
}

/** Returns who made a refund. */
export const makerOfRefund = (customId: unknown): Maker => ({
  installationId: readCustomId(customId)?.installationId ?? null,
  merchantId: null,
});

const captureStates: Readonly<Record<string, WalletOrder['state']>> = {
  COMPLETED: 'captured',
  PARTIALLY_REFUNDED: 'captured',
  REFUNDED: 'captured',
  PENDING: 'processing',
  DECLINED: 'released',
  FAILED: 'released',
};

const orderStates: Readonly<Record<string, WalletOrder['state']>> = {
  CREATED: 'requires_action',
  SAVED: 'requires_action',
  PAYER_ACTION_REQUIRED: 'requires_action',
  APPROVED: 'approved',
  VOIDED: 'released',
};

/** Prefers a capture that moved money, then a capture that may still do so. */
export const captureOf = ({ captures }: Order): Capture | undefined =>
  captures.find(({ status }) => captureStates[status] === 'captured') ??
  captures.find(({ status }) => captureStates[status] !== 'released') ??
  captures[0];

export const stateOf = (order: Order): WalletOrder['state'] => {
  const capture = captureOf(order);
  // An unknown status is not an end.
  if (capture) return captureStates[capture.status] ?? 'processing';
  if (order.customId?.startsWith(releasedPrefix)) return 'released';
  return orderStates[order.status] ?? 'processing';
};

export function translateOrder(order: Order): ProviderPayment {
  const state = stateOf(order);
  const capture = captureOf(order);
  const { amountMinor, currency } = capture ?? order;
  return {
    intentId: order.orderId,
    state: state === 'approved' ? 'new' : state,
    releasedBecause: state === 'released' ? 'canceled' : null,
    amountMinor,
    currency,
    chargeId: capture?.captureId ?? null,
    captureBefore: null,
    effectiveAt: state === 'captured' ? (capture?.movedAt ?? null) : null,
    balance: capture?.balance ?? null,
    refundedMinor: sumRefunded(order),
    ...(state === 'captured' ? readSavedWallet(order) : {}),
  };
}

const sumRefunded = ({ refunds }: Order): number =>
  refunds.reduce((sum, one) => sum + (one.state === 'failed' ? 0 : one.amountMinor), 0);

/** Returns the wallet that the order saved for later charges; nothing until the token exists. */
function readSavedWallet({ paymentTokenId, tokenCustomerId, payerEmail }: Order) {
  if (paymentTokenId === null || tokenCustomerId === null) return {};
  const saved = {
    customerId: tokenCustomerId,
    providerPaymentMethodId: paymentTokenId,
    payerEmail,
  };
  return { saved };
}

export function toWalletOrder(order: Order): WalletOrder {
  const { orderId, amountMinor, currency, approveUrl, payerId, paymentTokenId } = order;
  const state = stateOf(order);
  return {
    orderId,
    state,
    amountMinor,
    currency,
    approveUrl: state === 'requires_action' ? approveUrl : null,
    payerId,
    paymentTokenId,
  };
}

/** Decline codes of the wallet's own: a card's code would send the buyer to a bank that has not declined. */
const declines: Readonly<Record<string, string>> = {
  INSTRUMENT_DECLINED: 'wallet_declined',
  REDIRECT_PAYER_FOR_ALTERNATE_FUNDING: 'wallet_declined',
  PAYER_CANNOT_PAY: 'wallet_declined',
  TRANSACTION_REFUSED: 'wallet_declined',
  DECLINED_DUE_TO_RELATED_TXN: 'wallet_declined',
  TRANSACTION_LIMIT_EXCEEDED: 'wallet_declined',
  MAX_NUMBER_OF_PAYMENT_ATTEMPTS_EXCEEDED: 'wallet_declined',
  PAYER_ACCOUNT_RESTRICTED: 'wallet_restricted',
  PAYER_ACCOUNT_LOCKED_OR_CLOSED: 'wallet_restricted',
  COMPLIANCE_VIOLATION: 'wallet_restricted',
  TRANSACTION_BLOCKED_BY_PAYEE: 'wallet_restricted',
  TOKEN_ID_NOT_FOUND: 'wallet_restricted',
  AGREEMENT_ALREADY_CANCELLED: 'wallet_restricted',
  BILLING_AGREEMENT_NOT_FOUND: 'wallet_restricted',
};

/**
 * Returns the decline of a buyer's wallet; null when the refusal has another reason. Contract §3,
 * `advice`.
 */
export function translateDecline(
  issue: string | null,
): { declineCode: string; advice: Advice } | null {
  const declineCode = declines[issue ?? ''];
  return declineCode === undefined ? null : { declineCode, advice: adviceFor(declineCode) };
}

const setupStates: Readonly<Record<string, SetupToken['state']>> = {
  APPROVED: 'approved',
  VAULTED: 'used',
};

export function readSetupToken(value: unknown): SetupToken | null {
  const token = fieldsOf(value);
  const setupTokenId = nameIn(token.id);
  if (!setupTokenId || typeof token.status !== 'string') return null;
  const state = setupStates[token.status] ?? 'requires_action';
  const approveUrl = state === 'requires_action' ? linkOf(token.links, 'approve') : null;
  return { setupTokenId, state, approveUrl };
}

export function readPaymentToken(value: unknown): PaymentToken | null {
  const token = fieldsOf(value);
  const paymentTokenId = nameIn(token.id);
  if (!paymentTokenId) return null;
  const { paypal } = fieldsOf(token.payment_source);
  return {
    paymentTokenId,
    customerId: nameIn(fieldsOf(token.customer).id),
    payerId: nameIn(fieldsOf(paypal).payer_id),
  };
}
