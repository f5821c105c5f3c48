// The wallet's objects as the wire shows them.
import { merchantOf } from './accounts.ts';
import { writeMoney } from './money.ts';
import type { Order, PaymentToken, Refund, StoredWalletObject } from './objects.ts';
import type { WalletActor } from './wallet.ts';

/** Writes an instant in whole seconds, as all times of the wallet are. */
const instant = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;

const link = (href: string, rel: string, method = 'GET') => ({ href, rel, method });

/** The payer's name and address, the same for the same payer. */
const payerOf = (payerId: string) => ({
  email_address: `buyer-${payerId.slice(0, 6).toLowerCase()}@example.com`,
  name: { given_name: 'Robin', surname: 'Buyer' },
});

const isOpen = (order: Order): boolean =>
  order.status === 'CREATED' || order.status === 'PAYER_ACTION_REQUIRED';

const orderLinks = ({ core }: WalletActor, order: Order) => {
  const self = `${core.baseUrl()}/v2/checkout/orders/${order.id}`;
  const links = [link(self, 'self')];
  if (isOpen(order)) {
    const page = `${core.baseUrl()}/checkoutnow?token=${order.id}`;
    links.push(link(page, order.hasSource ? 'payer-action' : 'approve'));
  }
  if (isOpen(order) && !order.hasSource) links.push(link(self, 'update', 'PATCH'));
  if (isOpen(order) || order.status === 'APPROVED') {
    links.push(link(`${self}/capture`, 'capture', 'POST'));
  }
  return links;
};

/** The saved source that was approved but is not saved yet. */
const approvedSourceOf = ({ status, storesFor, behaviour }: Order) =>
  status === 'COMPLETED' && storesFor !== null && behaviour === 'saved_later'
    ? { status: 'APPROVED', customer: { id: storesFor } }
    : undefined;

const sourceOf = (actor: WalletActor, order: Order) => {
  if (order.payerId === null) return order.hasSource ? { paypal: {} } : undefined;
  const stored = actor.wallet.objects.listBelow('payment_token', order.id)[0];
  const vault = stored
    ? {
        id: stored.object.id,
        status: 'VAULTED',
        customer: { id: stored.object.customerId },
        links: tokenLinks(actor, stored.object),
      }
    : approvedSourceOf(order);
  return {
    paypal: {
      ...payerOf(order.payerId),
      account_id: order.payerId,
      account_status: 'VERIFIED',
      ...(vault ? { attributes: { vault } } : {}),
    },
  };
};

export const showCapture = (actor: WalletActor, { object }: StoredWalletObject<'capture'>) => {
  const { core } = actor;
  const self = `${core.baseUrl()}/v2/payments/captures/${object.id}`;
  const fee = Math.floor(object.amount.minor / 40);
  const { currency } = object.amount;
  return {
    id: object.id,
    status: object.status,
    ...(object.status === 'PENDING' ? { status_details: { reason: 'PENDING_REVIEW' } } : {}),
    amount: writeMoney(object.amount),
    final_capture: true,
    ...(object.status === 'PENDING'
      ? {}
      : {
          seller_receivable_breakdown: {
            gross_amount: writeMoney(object.amount),
            paypal_fee: writeMoney({ minor: fee, currency }),
            net_amount: writeMoney({ minor: object.amount.minor - fee, currency }),
          },
        }),
    ...(object.customId === null ? {} : { custom_id: object.customId }),
    ...(object.invoiceId === null ? {} : { invoice_id: object.invoiceId }),
    create_time: instant(object.createdMs),
    update_time: instant(object.updatedMs),
    links: [
      link(self, 'self'),
      link(`${self}/refund`, 'refund', 'POST'),
      link(`${core.baseUrl()}/v2/checkout/orders/${object.orderId}`, 'up'),
    ],
  };
};

/** A capture that is read by itself also contains its order and its payee. */
export const showCaptureAlone = (actor: WalletActor, kept: StoredWalletObject<'capture'>) => ({
  ...showCapture(actor, kept),
  supplementary_data: { related_ids: { order_id: kept.object.orderId } },
  payee: { merchant_id: merchantOf(actor.core.store, kept.account) },
});

export const refundLinks = ({ core }: WalletActor, { id, captureId }: Refund) => [
  link(`${core.baseUrl()}/v2/payments/refunds/${id}`, 'self'),
  link(`${core.baseUrl()}/v2/payments/captures/${captureId}`, 'up'),
];

export const showRefund = (actor: WalletActor, { object }: StoredWalletObject<'refund'>) => ({
  id: object.id,
  status: object.status,
  ...(object.status === 'PENDING' ? { status_details: { reason: 'ECHECK' } } : {}),
  amount: writeMoney(object.amount),
  ...(object.customId === null ? {} : { custom_id: object.customId }),
  ...(object.invoiceId === null ? {} : { invoice_id: object.invoiceId }),
  ...(object.note === null ? {} : { note_to_payer: object.note }),
  seller_payable_breakdown: {
    gross_amount: writeMoney(object.amount),
    net_amount: writeMoney(object.amount),
    total_refunded_amount: writeMoney({
      minor: object.totalMinor,
      currency: object.amount.currency,
    }),
  },
  create_time: instant(object.createdMs),
  update_time: instant(object.updatedMs),
  links: refundLinks(actor, object),
});

/** The captures and refunds of an order; empty while it has no captures. */
const showPayments = (actor: WalletActor, order: Order) => {
  const { objects } = actor.wallet;
  const captures = objects.listBelow('capture', order.id);
  if (captures.length === 0) return {};
  const refunds = captures.flatMap(({ object }) => objects.listBelow('refund', object.id));
  return {
    payments: {
      captures: captures.map((kept) => showCapture(actor, kept)),
      ...(refunds.length > 0 ? { refunds: refunds.map((kept) => showRefund(actor, kept)) } : {}),
    },
  };
};

export const showOrder = (actor: WalletActor, { object, account }: StoredWalletObject<'order'>) => {
  const source = sourceOf(actor, object);
  return {
    id: object.id,
    intent: 'CAPTURE',
    status: object.status,
    ...(source ? { payment_source: source } : {}),
    purchase_units: [
      {
        reference_id: object.referenceId,
        amount: writeMoney(object.amount),
        payee: { merchant_id: merchantOf(actor.core.store, account) },
        ...(object.description === null ? {} : { description: object.description }),
        ...(object.customId === null ? {} : { custom_id: object.customId }),
        ...(object.invoiceId === null ? {} : { invoice_id: object.invoiceId }),
        ...showPayments(actor, object),
      },
    ],
    ...(object.payerId === null
      ? {}
      : { payer: { ...payerOf(object.payerId), payer_id: object.payerId } }),
    create_time: instant(object.createdMs),
    update_time: instant(object.updatedMs),
    links: orderLinks(actor, object),
  };
};

/** The short response, for calls that did not ask for the whole object. */
export const showOrderBriefly = (actor: WalletActor, kept: StoredWalletObject<'order'>) => {
  const { id, status, links } = showOrder(actor, kept);
  return { id, status, links };
};

const tokenLinks = ({ core }: WalletActor, { id }: PaymentToken) => {
  const self = `${core.baseUrl()}/v3/vault/payment-tokens/${id}`;
  return [link(self, 'self'), link(self, 'delete', 'DELETE')];
};

export const showSetupToken = (
  actor: WalletActor,
  { object }: StoredWalletObject<'setup_token'>,
) => {
  const base = actor.core.baseUrl();
  const self = link(`${base}/v3/vault/setup-tokens/${object.id}`, 'self');
  const next =
    object.status === 'PAYER_ACTION_REQUIRED'
      ? link(`${base}/agreements/approve?approval_session_id=${object.id}`, 'approve')
      : link(`${base}/v3/vault/payment-tokens`, 'confirm', 'POST');
  return {
    id: object.id,
    status: object.status,
    customer: { id: object.customerId },
    payment_source: {
      paypal: {
        ...(object.usageType === null ? {} : { usage_type: object.usageType }),
        ...(object.description === null ? {} : { description: object.description }),
        ...(object.payerId === null ? {} : payerFields(object.payerId)),
      },
    },
    links: [self, next],
  };
};

const payerFields = (payerId: string) => ({
  ...payerOf(payerId),
  payer_id: payerId,
  account_id: payerId,
});

export const showPaymentToken = (
  actor: WalletActor,
  { object }: StoredWalletObject<'payment_token'>,
) => ({
  id: object.id,
  customer: { id: object.customerId },
  payment_source: {
    paypal: {
      ...(object.usageType === null ? {} : { usage_type: object.usageType }),
      ...payerFields(object.payerId),
    },
  },
  links: tokenLinks(actor, object),
});

export const showWebhook = ({ core }: WalletActor, { object }: StoredWalletObject<'webhook'>) => {
  const self = `${core.baseUrl()}/v1/notifications/webhooks/${object.id}`;
  return {
    id: object.id,
    url: object.url,
    event_types: object.eventTypes.map((name) => ({ name })),
    links: [link(self, 'self'), link(self, 'delete', 'DELETE')],
  };
};
