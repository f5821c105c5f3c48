// Orders: create, read, change. No money moves here.

import { walletNotKept } from '../../domain/payments/wallet-order.ts';
import { configurationCode } from '../../domain/protocol/key-refused.ts';
import type { HoldCall, Outcome, ProviderPayment, Reading, Trace } from '../../engine/ports.ts';
import { toWalletMoney } from './money.ts';
import type { CreateOrderCall, CreateResult, FindResult, WalletOrder } from './port.ts';
import { type Order, readOrder, toWalletOrder, translateOrder } from './translate.ts';
import {
  emptyTrace,
  isNotAccepted,
  read,
  type SentCall,
  sendAgain,
  type Wire,
  type WireAnswer,
} from './wire.ts';

export const pathOf = (orderId: string): string =>
  `/v2/checkout/orders/${encodeURIComponent(orderId)}`;

export const inDoubtOutcome = (cause: string, trace: Trace) =>
  ({ kind: 'in_doubt', cause, trace }) as const;

export const refusedOutcome = (
  code: string,
  trace: Trace,
  payment: ProviderPayment | null = null,
): Outcome => ({
  kind: 'refused',
  code,
  declineCode: null,
  advice: null,
  message: null,
  payment,
  trace,
});

/** Reads an order. A state of "not captured" proves nothing about a request that is still under way. */
export async function findOrder(wire: Wire, orderId: string): Promise<FindResult<Order>> {
  const answer = await read(wire, pathOf(orderId));
  const { trace } = answer;
  if (answer.kind === 'ok') {
    const order = readOrder(answer.value);
    if (order?.orderId !== orderId) return inDoubtOutcome('answer_mismatch', trace);
    return { kind: 'found', value: order, trace };
  }
  if (answer.kind === 'error' && answer.status === 404) return { kind: 'missing', trace };
  return inDoubtOutcome('read_failed', trace);
}

export async function retrieve(wire: Wire, orderId: string): Promise<Reading> {
  const found = await findOrder(wire, orderId);
  if (found.kind === 'missing') return { ...found, runsOut: true };
  return found.kind === 'found'
    ? { kind: 'found', payment: translateOrder(found.value), trace: found.trace }
    : found;
}

export async function readWalletOrder(
  wire: Wire,
  orderId: string,
): Promise<FindResult<WalletOrder>> {
  const found = await findOrder(wire, orderId);
  return found.kind === 'found' ? { ...found, value: toWalletOrder(found.value) } : found;
}

const vaultFields = (customerId: string | null) =>
  customerId === null
    ? {}
    : {
        attributes: {
          customer: { id: customerId },
          vault: { store_in_vault: 'ON_SUCCESS', usage_type: 'MERCHANT' },
        },
      };

/** A buyer who cancels returns to the same page, with a parameter that states it. */
function returnFields(returnUrl: string | null) {
  if (returnUrl === null) return {};
  const cancelUrl = new URL(returnUrl);
  cancelUrl.searchParams.set('wallet', 'canceled');
  return { return_url: returnUrl, cancel_url: cancelUrl.href };
}

/** Without its buyer's approval no money can move, so a failure here is a plain "not available". */
export async function createOrder(
  wire: Wire,
  call: CreateOrderCall,
): Promise<CreateResult<WalletOrder>> {
  const amount = toWalletMoney(call);
  if (!amount) return { kind: 'refused', code: 'amount_not_supported', trace: emptyTrace };
  const { answer } = await sendAgain(wire, {
    method: 'POST',
    path: '/v2/checkout/orders',
    key: call.key,
    body: {
      intent: 'CAPTURE',
      purchase_units: [{ amount, custom_id: call.customId, invoice_id: call.invoiceId }],
      payment_source: {
        paypal: {
          ...vaultFields(call.storeForCustomerId),
          experience_context: {
            user_action: 'PAY_NOW',
            shipping_preference: 'NO_SHIPPING',
            ...returnFields(call.returnUrl),
          },
        },
      },
    },
  });
  return judgeMade(answer, call);
}

/** Returns the order that a call created or changed, when it is about the call's amount. */
function judgeMade(
  answer: WireAnswer,
  call: { amountMinor: number; currency: string },
): CreateResult<WalletOrder> {
  const { trace } = answer;
  if (answer.kind === 'ok') {
    const order = readOrder(answer.value);
    const isOurs = order?.amountMinor === call.amountMinor && order.currency === call.currency;
    if (!order || !isOurs) return inDoubtOutcome('answer_mismatch', trace);
    return { kind: 'made', value: toWalletOrder(order), trace };
  }
  return { kind: 'refused', code: codeOf(answer), trace };
}

/** Distinguishes a mistake in the request from a provider that is not available. */
const codeOf = (answer: Exclude<WireAnswer, { kind: 'ok' }>): string => {
  if (answer.kind !== 'error' || answer.status >= 500 || isNotAccepted(answer)) {
    return 'unavailable';
  }
  const isUnkept = answer.issue === 'NOT_ENABLED_TO_VAULT_PAYMENT_SOURCE';
  return isUnkept ? walletNotKept : configurationCode(answer.status);
};

export async function updateOrder(
  wire: Wire,
  call: { orderId: string; amountMinor: number; currency: string },
): Promise<CreateResult<WalletOrder>> {
  const amount = toWalletMoney(call);
  if (!amount) return { kind: 'refused', code: 'amount_not_supported', trace: emptyTrace };
  const { answer } = await patchOrder(wire, call.orderId, { field: 'amount', value: amount });
  if (answer.kind === 'error' && answer.status === 422) {
    return { kind: 'refused', code: 'unexpected_state', trace: answer.trace };
  }
  if (answer.kind !== 'ok') return { kind: 'refused', code: codeOf(answer), trace: answer.trace };
  const found = await findOrder(wire, call.orderId);
  if (found.kind !== 'found') return inDoubtOutcome('read_failed', found.trace);
  const isDone =
    found.value.amountMinor === call.amountMinor && found.value.currency === call.currency;
  if (!isDone) return inDoubtOutcome('answer_mismatch', found.trace);
  return { kind: 'made', value: toWalletOrder(found.value), trace: found.trace };
}

export const patchOrder = (
  wire: Wire,
  orderId: string,
  { field, value }: { field: string; value: unknown },
): Promise<SentCall> =>
  sendAgain(wire, {
    method: 'PATCH',
    path: pathOf(orderId),
    body: [{ op: 'replace', path: `/purchase_units/@reference_id=='default'/${field}`, value }],
  });

/** Returns whether the order is about the call's amount. */
export const isOfCallAmount = (
  order: { amountMinor: number; currency: string },
  call: { amountMinor: number; currency: string },
): boolean => order.amountMinor === call.amountMinor && order.currency === call.currency;

/** Returns the payment of an order that expired: nothing can be captured. */
export const expiredPaymentOf = (call: HoldCall): ProviderPayment => ({
  intentId: call.intentId,
  state: 'released',
  releasedBecause: 'expired',
  amountMinor: call.amountMinor,
  currency: call.currency,
  chargeId: null,
  captureBefore: null,
  effectiveAt: null,
});
