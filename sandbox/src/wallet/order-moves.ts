// State changes of orders, captures and refunds, whatever causes them: a call, a payer, a person in the
// dashboard, or time. Each writes its ledger entries and its events together.
import { unprocessable } from './errors.ts';
import { nextId, nextToken } from './identifiers.ts';
import { writeMoney } from './money.ts';
import type { Behaviour, Capture, Order, StoredWalletObject } from './objects.ts';
import { showCaptureAlone, showOrder, showPaymentToken, showRefund } from './shapes.ts';
import { move, type WalletActor } from './wallet.ts';

const laterMs = 3_000;
/** An order must be approved and captured within three hours of its creation. */
const orderLifeMs = 3 * 3_600_000;

const isSettled = ({ status }: Order): boolean => status === 'COMPLETED' || status === 'VOIDED';

/** Returns whether the order has expired. It is then reported as missing. */
export const hasRunOut = (actor: WalletActor, order: Order): boolean =>
  !isSettled(order) && order.createdMs + orderLifeMs <= actor.core.clock.nowMs();

const openStatus = (order: Order): Order['status'] =>
  order.hasSource ? 'PAYER_ACTION_REQUIRED' : 'CREATED';

export const saveOrder = (actor: WalletActor, order: StoredWalletObject<'order'>): void => {
  order.object.updatedMs = actor.core.clock.nowMs();
  actor.wallet.objects.save(order);
};

/** The payer approves. `behaviour` decides what the capture does. */
export const approveOrder = (
  actor: WalletActor,
  order: StoredWalletObject<'order'>,
  payer: { id: string; behaviour: Behaviour },
): void => {
  order.object.status = 'APPROVED';
  order.object.payerId = payer.id;
  order.object.behaviour = payer.behaviour;
  saveOrder(actor, order);
  actor.wallet.notices.emit(actor, 'CHECKOUT.ORDER.APPROVED', {
    resourceType: 'checkout-order',
    about: order.object.id,
    resource: showOrder(actor, order),
    summary: 'An order has been approved by its payer',
  });
};

const announceCapture = (
  actor: WalletActor,
  type: string,
  capture: StoredWalletObject<'capture'>,
): void =>
  actor.wallet.notices.emit(actor, `PAYMENT.CAPTURE.${type}`, {
    resourceType: 'capture',
    about: capture.object.orderId,
    resource: showCaptureAlone(actor, capture),
    summary: `A capture of ${writeMoney(capture.object.amount).value} is ${type.toLowerCase()}`,
  });

const announceRefund = (
  actor: WalletActor,
  type: string,
  refund: StoredWalletObject<'refund'>,
): void =>
  actor.wallet.notices.emit(actor, type, {
    resourceType: 'refund',
    about: refund.object.orderId,
    resource: showRefund(actor, refund),
    summary: `A refund of ${writeMoney(refund.object.amount).value} is ${refund.object.status}`,
  });

const metadataFields = (object: { customId: string | null; invoiceId: string | null }) => ({
  ...(object.customId === null ? {} : { custom_id: object.customId }),
  ...(object.invoiceId === null ? {} : { invoice_id: object.invoiceId }),
});

const moveCapture = (actor: WalletActor, kind: 'capture' | 'take_back', capture: Capture): void =>
  move(actor, kind, {
    object: capture.id,
    orderId: capture.orderId,
    captureId: capture.id,
    amount: capture.amount,
    metadata: metadataFields(capture),
  });

/** Saves the payer's account for later charges when the first one is paid. */
const storePayer = (actor: WalletActor, order: Order): void => {
  if (order.storesFor === null || order.behaviour === 'not_saved') return;
  if (order.behaviour !== 'saved_later') keepPayer(actor, order.id);
  else {
    actor.core.schedule.add(actor.core.clock.nowMs() + laterMs, {
      task: 'wallet_keep_payer',
      account: actor.account,
      object: order.id,
    });
  }
};

/** Saves the payer of a paid order once. Returns false when it was already saved. */
export const keepPayer = (actor: WalletActor, id: string): boolean => {
  const { payerId, storesFor, behaviour } = actor.wallet.objects.get(
    'order',
    id,
    actor.account,
  ).object;
  if (storesFor === null || payerId === null) return false;
  if (actor.wallet.objects.listBelow('payment_token', id).length > 0) return false;
  const token = { customerId: storesFor, payerId, usageType: 'MERCHANT', behaviour };
  insertPaymentToken(actor, token, id);
  return true;
};

export const insertPaymentToken = (
  actor: WalletActor,
  token: Omit<StoredWalletObject<'payment_token'>['object'], 'id'>,
  parent: string,
): StoredWalletObject<'payment_token'> => {
  const object = { id: nextToken(actor.core.ids), ...token };
  const kept = { account: actor.account, object };
  actor.wallet.objects.insert('payment_token', kept, { parent, mark: token.customerId });
  announceToken(actor, 'CREATED', kept);
  return kept;
};

export const announceToken = (
  actor: WalletActor,
  what: 'CREATED' | 'DELETED',
  token: StoredWalletObject<'payment_token'>,
): void =>
  actor.wallet.notices.emit(actor, `VAULT.PAYMENT-TOKEN.${what}`, {
    resourceType: 'payment_token',
    about: token.object.id,
    resource: showPaymentToken(actor, token),
    summary: `A payment token has been ${what.toLowerCase()}`,
  });

const assertCapturable = (actor: WalletActor, order: Order, isCharged: boolean): void => {
  if (actor.core.mode === 'unguarded' && order.status === 'COMPLETED') return;
  if (order.status === 'COMPLETED') throw unprocessable('ORDER_ALREADY_CAPTURED');
  if (order.status !== 'APPROVED' && !isCharged) throw unprocessable('ORDER_NOT_APPROVED');
  if (order.invoiceId === null || actor.core.mode === 'unguarded') return;
  const { objects } = actor.wallet;
  const paid = objects.listMarked('capture', actor.account, order.invoiceId);
  if (paid.length > 0) throw unprocessable('DUPLICATE_INVOICE_ID');
};

/** Returns the order to its payer, who chooses another way to pay or approves this one. */
const sendBack = (
  actor: WalletActor,
  order: StoredWalletObject<'order'>,
  { issue, rel }: { issue: string; rel: string },
): never => {
  order.object.status = openStatus(order.object);
  saveOrder(actor, order);
  const page = `${actor.core.baseUrl()}/checkoutnow?token=${order.object.id}`;
  throw unprocessable(issue, {
    keepsWrites: true,
    links: [{ href: page, rel, method: 'GET' }],
  });
};

const declined = { issue: 'INSTRUMENT_DECLINED', rel: 'redirect' };
const needsPayer = { issue: 'PAYER_ACTION_REQUIRED', rel: 'payer-action' };

/** Captures an approved order, or charges a saved payer's account. */
export const captureOrder = (
  actor: WalletActor,
  order: StoredWalletObject<'order'>,
  charged: { id: string; behaviour: Behaviour } | null,
): StoredWalletObject<'capture'> => {
  assertCapturable(actor, order.object, charged !== null);
  // An order that its payer has approved is not also charged to the saved account.
  const isAbsent = charged !== null && order.object.status !== 'APPROVED';
  if (charged && isAbsent) {
    order.object.payerId = charged.id;
    order.object.behaviour = charged.behaviour;
  }
  const { behaviour } = order.object;
  if (isAbsent && behaviour === 'needs_payer') return sendBack(actor, order, needsPayer);
  const isDeclined = behaviour === 'declined' || (isAbsent && behaviour === 'declined_later');
  if (isDeclined || actor.isForcedToDecline) return sendBack(actor, order, declined);
  const waits = behaviour === 'pends' || behaviour === 'denied';
  const nowMs = actor.core.clock.nowMs();
  const object: Capture = {
    id: nextId(actor.core.ids),
    createdMs: nowMs,
    updatedMs: nowMs,
    status: waits ? 'PENDING' : 'COMPLETED',
    amount: order.object.amount,
    refundedMinor: 0,
    orderId: order.object.id,
    customId: order.object.customId,
    invoiceId: order.object.invoiceId,
    behaviour,
    idempotencyKey: actor.idempotencyKey,
  };
  const capture = { account: actor.account, object };
  const links = { parent: order.object.id, mark: order.object.invoiceId };
  actor.wallet.objects.insert('capture', capture, links);
  order.object.status = 'COMPLETED';
  saveOrder(actor, order);
  if (waits) {
    announceCapture(actor, 'PENDING', capture);
    actor.core.schedule.add(nowMs + laterMs, {
      task: behaviour === 'denied' ? 'wallet_deny_capture' : 'wallet_finish_capture',
      account: actor.account,
      object: object.id,
    });
    return capture;
  }
  moveCapture(actor, 'capture', object);
  announceCapture(actor, 'COMPLETED', capture);
  storePayer(actor, order.object);
  return capture;
};

const saveCapture = (actor: WalletActor, capture: StoredWalletObject<'capture'>): void => {
  capture.object.updatedMs = actor.core.clock.nowMs();
  actor.wallet.objects.save(capture);
};

/** Completes a pending capture. Returns false when it is not pending any more. */
export const finishCapture = (actor: WalletActor, id: string): boolean => {
  const capture = actor.wallet.objects.get('capture', id, actor.account);
  if (capture.object.status !== 'PENDING') return false;
  capture.object.status = 'COMPLETED';
  saveCapture(actor, capture);
  // Recorded under the key of the original call: the capture of a second key would be another effect.
  const caused = { ...actor, idempotencyKey: capture.object.idempotencyKey };
  moveCapture(caused, 'capture', capture.object);
  announceCapture(actor, 'COMPLETED', capture);
  const order = actor.wallet.objects.find('order', capture.object.orderId);
  if (order) storePayer(actor, order.object);
  return true;
};

/** Declines a pending capture for good. Returns false when it is not pending any more. */
export const declineCapture = (actor: WalletActor, id: string): boolean => {
  const capture = actor.wallet.objects.get('capture', id, actor.account);
  if (capture.object.status !== 'PENDING') return false;
  capture.object.status = 'DECLINED';
  saveCapture(actor, capture);
  announceCapture(actor, 'DENIED', capture);
  return true;
};

const setRefunded = (
  actor: WalletActor,
  capture: StoredWalletObject<'capture'>,
  changeMinor: number,
): void => {
  const { object } = capture;
  object.refundedMinor += changeMinor;
  const isWhole = object.refundedMinor >= object.amount.minor;
  object.status =
    object.refundedMinor === 0 ? 'COMPLETED' : isWhole ? 'REFUNDED' : 'PARTIALLY_REFUNDED';
  saveCapture(actor, capture);
};

export type Refunding = {
  amountMinor: number;
  customId: string | null;
  invoiceId: string | null;
  note: string | null;
  /** The provider reverses the capture; the merchant does not refund it. */
  isReversal?: boolean;
};

/** Refunds a capture. The money leaves at once, even when the refund is pending. */
export const refundCapture = (
  actor: WalletActor,
  capture: StoredWalletObject<'capture'>,
  refunding: Refunding,
): StoredWalletObject<'refund'> => {
  const nowMs = actor.core.clock.nowMs();
  const { amountMinor, customId, invoiceId, note, isReversal = false } = refunding;
  const { behaviour, amount, orderId } = capture.object;
  const waits = behaviour === 'refund_pends' && !isReversal;
  setRefunded(actor, capture, amountMinor);
  const refund: StoredWalletObject<'refund'> = {
    account: actor.account,
    object: {
      id: nextId(actor.core.ids),
      createdMs: nowMs,
      updatedMs: nowMs,
      status: waits ? 'PENDING' : 'COMPLETED',
      amount: { minor: amountMinor, currency: amount.currency },
      captureId: capture.object.id,
      orderId,
      customId,
      invoiceId,
      note,
      totalMinor: capture.object.refundedMinor,
    },
  };
  actor.wallet.objects.insert('refund', refund, { parent: capture.object.id });
  moveRefund(actor, isReversal ? 'take_back' : 'refund', refund);
  if (waits) announceRefund(actor, 'PAYMENT.REFUND.PENDING', refund);
  else announceRefund(actor, `PAYMENT.CAPTURE.${isReversal ? 'REVERSED' : 'REFUNDED'}`, refund);
  if (waits || (behaviour === 'refund_fails' && !isReversal)) {
    actor.core.schedule.add(nowMs + laterMs, {
      task: waits ? 'wallet_finish_refund' : 'wallet_fail_refund',
      account: actor.account,
      object: refund.object.id,
    });
  }
  return refund;
};

const moveRefund = (
  actor: WalletActor,
  kind: 'refund' | 'refund_failed' | 'take_back',
  { object }: StoredWalletObject<'refund'>,
): void =>
  move(actor, kind, {
    object: object.id,
    orderId: object.orderId,
    captureId: object.captureId,
    amount: object.amount,
    metadata: metadataFields(object),
  });

const endRefund = (actor: WalletActor, id: string, to: 'COMPLETED' | 'FAILED') => {
  const refund = actor.wallet.objects.get('refund', id, actor.account);
  const { status } = refund.object;
  const mayEnd = status === 'PENDING' || (status === 'COMPLETED' && to === 'FAILED');
  if (!mayEnd) return undefined;
  refund.object.status = to;
  refund.object.updatedMs = actor.core.clock.nowMs();
  actor.wallet.objects.save(refund);
  return refund;
};

/** Completes a pending refund. Returns false when it is not pending any more. */
export const finishRefund = (actor: WalletActor, id: string): boolean => {
  const refund = endRefund(actor, id, 'COMPLETED');
  if (refund) announceRefund(actor, 'PAYMENT.CAPTURE.REFUNDED', refund);
  return refund !== undefined;
};

/** The payer's side returns the refund, and the merchant has the money again. */
export const failRefund = (actor: WalletActor, id: string): boolean => {
  const refund = endRefund(actor, id, 'FAILED');
  if (!refund) return false;
  const capture = actor.wallet.objects.get('capture', refund.object.captureId, actor.account);
  setRefunded(actor, capture, -refund.object.amount.minor);
  moveRefund(actor, 'refund_failed', refund);
  announceRefund(actor, 'PAYMENT.REFUND.FAILED', refund);
  return true;
};
