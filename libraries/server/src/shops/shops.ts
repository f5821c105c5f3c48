// What every shop's plugin does with a payment: one session for an order, what was paid for it, capture, release,
// refund, and the truth read where an answer does not tell it. `@svc/medusa` and `@svc/vendure` are built on this.

import { exponentOf } from '@svc/contract/values/currencies';
import type { CreateSessionParams } from '../checkout-sessions.ts';
import type { Payment } from '../contract-types.ts';
import {
  SvcAuthenticationError,
  SvcConflictError,
  SvcConnectionError,
  SvcError,
  SvcGatewayError,
  SvcPermissionError,
  SvcValidationError,
} from '../errors.ts';
import type { Svc } from '../svc.ts';

/** An amount as the service takes it (`amount`, major units) and as two amounts are compared (`minor`). */
export type Money = {
  readonly amount: number;
  readonly minor: number;
  readonly currency: string;
  /** Why it is not the shop's number, for the shop's log; absent where it is. */
  readonly rounded?: string;
};

/**
 * A shop's number as money of its currency. `decimals` is how many of its last digits the shop counts as decimals: 2
 * where yen are stored as hundredths, 0 for major units. More decimals than the currency has, of a tax say, are
 * rounded half up, and `rounded` says so. What binary fractions add is no decimal: 23.789999999999996 is 23.79.
 */
export function moneyOf(value: number, decimals: number, currency: string): Money {
  const code = currency.toUpperCase();
  const exponent = exponentOf(code);
  // The text of a number is shifted, since 1.005 * 100 is no 100.5.
  const exact = shift(value, exponent - decimals);
  const nearest = Math.round(exact);
  const isWhole = Math.abs(exact - nearest) <= Math.abs(exact) * 4 * Number.EPSILON;
  // Doubles are right to 15 digits: 1.0049999999999997, of a sum of binary fractions, is 1.005.
  const minor = isWhole ? nearest : Math.round(Number(exact.toPrecision(15)));
  if (!Number.isSafeInteger(minor)) throw new RangeError(`${value} is no amount of ${code}.`);
  const amount = shift(minor, -exponent);
  if (isWhole) return { amount, minor, currency: code };
  const said = shift(value, -decimals);
  const rounded = `${said} ${code} has more decimals than the currency: it is ${amount} ${code} at Svc.`;
  return { amount, minor, currency: code, rounded };
}

/** The shop's own number of an amount of the service: the inverse of `moneyOf`. */
export function shopNumberOf(money: Pick<Money, 'minor' | 'currency'>, decimals: number): number {
  const value = shift(money.minor, decimals - exponentOf(money.currency.toUpperCase()));
  // A shop that counts hundredths counts whole ones.
  return decimals > 0 ? Math.round(value) : value;
}

function shift(value: number, places: number): number {
  const [digits, power = '0'] = String(value).split('e');
  return Number(`${digits}e${Number(power) + places}`);
}

/** What a payment is for an order: `open` is not known yet, and neither paid nor failed. */
export type Standing = 'held' | 'paid' | 'returned' | 'released' | 'failed' | 'open';

const standings: Readonly<Record<string, Standing>> = {
  authorized: 'held',
  succeeded: 'paid',
  partially_refunded: 'paid',
  refunded: 'returned',
  voided: 'released',
  failed: 'failed',
};

export const standingOf = (payment: Pick<Payment, 'status'>): Standing =>
  standings[payment.status] ?? 'open';

/** Whether the money was taken, whatever was given back of it later. */
export const isTaken = (payment: Pick<Payment, 'status'>): boolean =>
  ['paid', 'returned'].includes(standingOf(payment));

/** What was given back of a payment, refunds on their way included, in minor units. */
export function givenBack(payment: Payment): number {
  const minor = (amount: number) => moneyOf(amount, 0, payment.currency).minor;
  return minor(payment.amountCaptured) - minor(payment.amountRefundable);
}

/** True where a payment holds or has taken exactly this money, and nothing of it was given back. */
export function covers(payment: Payment, money: Money): boolean {
  const isWhole = ['held', 'paid'].includes(standingOf(payment)) && givenBack(payment) === 0;
  return isWhole && payment.amountMinor === money.minor && payment.currency === money.currency;
}

/** Why no buyer can pay this, where the shop is to mend it: for its log. Undefined where the card was declined. */
export function troubleOf(payment: Payment): string | undefined {
  const { amount, currency, failureCode, failureMessage } = payment;
  const mend = mends[failureCode ?? ''];
  if (payment.status !== 'failed' || !mend) return undefined;
  const said = failureMessage?.replace(/\.$/, '') ?? 'no reason given';
  return `Nobody can pay ${amount} ${currency}: ${failureCode}, ${said}. ${mend}`;
}

type Line = { readonly name: string; readonly quantity: number; readonly minor: number };

export type ShopOrder = {
  /** The shop's own name of the order or cart, the same for every try to pay it. */
  readonly reference: string;
  readonly money: Money;
  /** Shown on the page where they come to exactly the order's amount; else the order is one line. */
  readonly lines?: readonly Line[];
  readonly account: CreateSessionParams['account'];
  readonly captureMethod: 'manual' | 'automatic';
  readonly metadata?: Record<string, string>;
  readonly successUrl?: string;
  readonly cancelUrl?: string;
};

export type OpenedSession =
  | {
      readonly kind: 'open';
      readonly sessionId: string;
      readonly nonce: string;
      readonly url: string;
    }
  /** Money for the order is held, taken or in doubt: nobody is asked to pay twice. It may be another sum. */
  | { readonly kind: 'settled'; readonly payment: Payment };

/** What a call came to. `message` says why, where `standing` is not what was asked for. */
export type Moved = {
  readonly standing: Standing;
  readonly payment: Payment | null;
  readonly message: string;
};

/** True where money of the buyer is still held, taken or in doubt, after it was to be given back. */
export const isOwed = ({ standing }: Pick<Moved, 'standing'>): boolean =>
  standing === 'held' || standing === 'paid' || standing === 'open';

export type Refunded = {
  /** `unknown`: ask again with the same key, or wait for the webhook. `failed`: nothing was given back. */
  readonly state: 'succeeded' | 'pending' | 'failed' | 'unknown';
  readonly refundId: string | null;
  readonly message: string;
};

export class ShopPayments {
  readonly #svc: Svc;

  constructor(svc: Svc) {
    this.#svc = svc;
  }

  /**
   * The session in which the buyer pays the order. The same order answers the same session, from any process;
   * a changed one replaces it, so that nobody pays the old total. Throws `checkout_attempt_in_progress` while
   * the buyer is paying the session that would be replaced.
   */
  async open(order: ShopOrder): Promise<OpenedSession> {
    const sessions = await this.#sessionsOf(order.reference);
    for (const { status, paymentId } of sessions) {
      if (!paymentId || !isSettled(status)) continue;
      const payment = await this.#svc.payments.retrieve(paymentId);
      if (covers(payment, order.money)) return { kind: 'settled', payment };
    }
    const params = paramsOf(order);
    // A session that has ended is not answered again: the number of them is part of the key.
    const ended = sessions.filter(({ status }) => status !== 'open').length;
    const idempotencyKey = `shop-${ended}-${await digest(JSON.stringify(params))}`;
    try {
      const made = await this.#svc.checkout.sessions.create(params, { idempotencyKey });
      if (!('redirectUrl' in made)) throw new Error('Nothing is due: this order needs no payment.');
      const { sessionId, nonce, redirectUrl: url } = made;
      return { kind: 'open', sessionId, nonce, url };
    } catch (error) {
      const id = takenBy(error);
      if (!id) throw error;
      return { kind: 'settled', payment: await this.#svc.payments.retrieve(id) };
    }
  }

  /** Ends what nobody is to pay any more. Returns false where the buyer is paying, or has paid. */
  async close(reference: string): Promise<boolean> {
    for (const { id, status } of await this.#sessionsOf(reference)) {
      if (status !== 'open') continue;
      try {
        await this.#svc.checkoutSessions.expire(id);
      } catch (error) {
        if (error instanceof SvcConflictError || error instanceof SvcGatewayError) return false;
        throw error;
      }
    }
    return true;
  }

  /** Every payment that was begun for an order in the last 30 days, newest first, each as it stands now. */
  async paymentsOf(reference: string): Promise<Payment[]> {
    const ids = (await this.#sessionsOf(reference)).flatMap(({ paymentId }) => paymentId ?? []);
    return Promise.all(ids.map((id) => this.#svc.payments.retrieve(id)));
  }

  /** Takes what is held. One key for each hold: whoever asks again asks for the same capture. */
  capture(paymentId: string): Promise<Moved> {
    return this.#move(paymentId, 'capture');
  }

  /** Releases what is held. */
  release(paymentId: string): Promise<Moved> {
    return this.#move(paymentId, 'cancel');
  }

  async #move(paymentId: string, verb: 'capture' | 'cancel'): Promise<Moved> {
    const key = { idempotencyKey: `shop-${verb}-${paymentId}` };
    const path = `/v1/payments/${encodeURIComponent(paymentId)}` as const;
    try {
      const payment =
        verb === 'capture'
          ? await this.#svc.request('PUT', `${path}/capture`, {}, key)
          : await this.#svc.request('PUT', `${path}/cancel`, {}, key);
      return { standing: standingOf(payment), payment, message: '' };
    } catch (error) {
      // A refusal and a lost answer do not tell where the money is: the payment does.
      const message = remedyOf(error);
      const payment = await this.#svc.payments.retrieve(paymentId).catch(() => null);
      return { standing: payment ? standingOf(payment) : 'open', payment, message };
    }
  }

  /** Gives money back. The same key is the same refund; `money` left out is all that is left. */
  async refund(
    paymentId: string,
    { key, money }: { readonly key: string; readonly money?: Money },
  ): Promise<Refunded> {
    const params = { ...(money ? { amount: money.amount } : {}), metadata: { shopKey: key } };
    try {
      return refundedOf(
        await this.#svc.payments.refund(paymentId, params, { idempotencyKey: key }),
      );
    } catch (error) {
      const message = remedyOf(error);
      if (isRefusal(error)) return { state: 'failed', refundId: null, message };
      const made = await this.#refundWith(paymentId, key).catch(() => undefined);
      return made ? refundedOf(made) : { state: 'unknown', refundId: null, message };
    }
  }

  async #refundWith(paymentId: string, key: string): Promise<Payment | undefined> {
    const filter = { type: { eq: 'refund' as const }, parentPaymentId: { eq: paymentId } };
    const { data } = await this.#svc.payments.list({ ...filter, limit: 100 });
    return data.find(({ metadata }) => metadata.shopKey === key);
  }

  /** Gives back what no order takes: releases a hold, refunds a payment. Repeatable. */
  async undo(payment: Payment): Promise<Moved> {
    const standing = standingOf(payment);
    if (standing === 'held') return this.release(payment.id);
    if (standing !== 'paid') return { standing, payment, message: '' };
    const { state, message } = await this.refund(payment.id, { key: `shop-undo-${payment.id}` });
    const isOnItsWay = state === 'succeeded' || state === 'pending';
    return { standing: isOnItsWay ? 'returned' : 'paid', payment, message };
  }

  async #sessionsOf(reference: string) {
    const { data } = await this.#svc.checkoutSessions.list({
      reference: { eq: reference },
      limit: 100,
    });
    return data;
  }
}

/** The payment that already has an order's reference, where that is why no session was made. */
function takenBy(error: unknown): string | undefined {
  if (!(error instanceof SvcConflictError) || error.code !== 'checkout_session_reference_taken') {
    return undefined;
  }
  const { errors = [] } = error.raw as { errors?: { code: string; id: string }[] };
  return errors.find(({ code }) => code === 'payment')?.id;
}

const isSettled = (status: string): boolean => status === 'completed' || status === 'authorized';

function paramsOf(order: ShopOrder): CreateSessionParams {
  const { reference, money, account, captureMethod, metadata, successUrl, cancelUrl } = order;
  return {
    reference,
    replaces: true,
    currency: money.currency,
    products: linesOf(order),
    account,
    captureMethod,
    ...(metadata ? { metadata } : {}),
    ...(successUrl ? { successUrl } : {}),
    ...(cancelUrl ? { cancelUrl } : {}),
  };
}

/** The lines that the page shows. One by one they round differently from the sum, which is what counts. */
function linesOf({ reference, money, lines = [] }: ShopOrder): CreateSessionParams['products'] {
  const sum = lines.reduce((before, { minor }) => before + minor, 0);
  const isShown = sum === money.minor && lines.length <= 100 && lines.every(isLine);
  if (!isShown) return [{ name: `Order ${reference}`, quantity: 1, amount: money.amount }];
  return lines.map(({ name, quantity, minor }) => ({
    name: name.slice(0, 250),
    quantity,
    amount: shift(minor, -exponentOf(money.currency)),
  }));
}

const isLine = ({ name, quantity, minor }: Line): boolean =>
  name !== '' && minor >= 0 && quantity >= 1 && quantity <= 10_000;

async function digest(text: string): Promise<string> {
  const bytes = await globalThis.crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

const refundStates: Readonly<Record<string, Refunded['state']>> = {
  succeeded: 'succeeded',
  refund_failed: 'failed',
};

/** What a refund of the service is for the order. */
export function refundedOf(refund: Payment): Refunded {
  const state = refundStates[refund.status] ?? 'pending';
  const message = state === 'failed' ? `The refund failed: ${refund.failureCode}.` : '';
  return { state, refundId: refund.id, message };
}

/** True where the service has said no, so that nothing was done. */
function isRefusal(error: unknown): boolean {
  if (error instanceof SvcConflictError) return error.code !== 'payment_operation_in_progress';
  return error instanceof SvcError && [400, 401, 403, 404, 422].includes(error.status ?? 0);
}

/** A sentence for the shop's log or its admin: what is wrong, what mends it, and the request for Svc's own log. */
export function remedyOf(error: unknown): string {
  if (!(error instanceof SvcError)) return error instanceof Error ? error.message : String(error);
  const { message, requestId } = error;
  const mend = mendOf(error);
  return [message, ...(mend ? [mend] : []), ...(requestId ? [`(${requestId})`] : [])].join(' ');
}

const wait = 'The buyer is paying this order in another tab: wait until that has ended.';
const otherMethod = 'Change the total, or offer another payment method for this currency.';
const mends: Readonly<Record<string, string>> = {
  amount_precision: 'Round the prices and taxes of the shop to that.',
  amount_not_supported: otherMethod,
  checkout_attempt_in_progress: wait,
  currency_not_supported: otherMethod,
  currency_required: 'Give the channel, region or cart of the shop a currency.',
  CurrencyRequired: 'Give the channel, region or cart of the shop a currency.',
  payment_disputed: 'The bank has the money already: a refund would pay the buyer twice.',
};

function mendOf(error: SvcError): string | undefined {
  const known = mends[error.code ?? ''];
  if (known) return known;
  if (error instanceof SvcConnectionError) {
    return 'Svc was not reached: see that it runs and that baseUrl is its address. Nothing is lost: ask again.';
  }
  if (error instanceof SvcPermissionError) {
    return 'Use an API token whose owner is owner or admin, with the scopes checkout:write, payments:read, payments:write and refunds:write.';
  }
  if (error instanceof SvcAuthenticationError) {
    return 'Check clientId and apiToken: both are of one merchant, and the token was not revoked.';
  }
  if (error instanceof SvcGatewayError && error.retryable) {
    return 'Do not ship and do not cancel; press again, or wait: it resolves by itself.';
  }
  const isUnknownCall = error.status === 404 && [null, 'route_not_found'].includes(error.code);
  const isUnknownField =
    error instanceof SvcValidationError && error.message.includes('is not known here');
  return isUnknownCall || isUnknownField
    ? 'baseUrl is not the address of Svc, or this Svc is older than the plugin: check the one, update the other.'
    : undefined;
}
