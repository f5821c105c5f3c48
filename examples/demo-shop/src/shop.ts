// What the shop does: sells, asks about its orders, captures, cancels, takes events. The only
// file that talks to the payments service, and only through the server library.

import { type CallOptions, type Product, Svc, SvcError, type WebhookEvent } from '@svc/server';
import type { Config } from './config.ts';
import { type Currency, centsOf } from './money.ts';
import { applyPayment, isHeld, isOpen, type Order, type OrderLine } from './orders.ts';
import type { Delivery, Store } from './store.ts';

export type Ware = { readonly code: string; readonly name: string; readonly cents: number };

export type Wish = {
  /** Made with the page; the same form sent twice is one order. */
  readonly orderId: string;
  readonly currency: Currency;
  readonly captureMethod: 'automatic' | 'manual';
  readonly quantities: ReadonlyMap<string, number>;
  /** Where a buyer who changes their mind comes back to. */
  readonly cancelPath: string;
};

// Pages wait for these reads, so they are given up early.
const reading: CallOptions = { timeout: 5_000, maxNetworkRetries: 1 };
const catalogLifeMs = 10_000;

export class Shop {
  readonly #config: Config;
  readonly #store: Store;
  readonly #svc: Svc;
  #catalog: { readonly products: readonly Product[]; readonly readAt: number } | undefined;
  readonly #buying = new Map<string, Promise<Order>>();

  constructor(config: Config, store: Store) {
    this.#config = config;
    this.#store = store;
    this.#svc = new Svc(config.providerSecretKey, {
      baseUrl: config.apiUrl,
      clientId: config.clientId,
      apiToken: config.apiToken,
      appInfo: { name: 'demo-shop' },
    });
  }

  /** The items on sale in a currency, cheapest first. */
  async wares(currency: Currency): Promise<Ware[]> {
    if (!this.#catalog || Date.now() - this.#catalog.readAt > catalogLifeMs) {
      const { data } = await this.#svc.request('GET', '/v1/products?limit=100', undefined, reading);
      this.#catalog = { products: data, readAt: Date.now() };
    }
    const wares = this.#catalog.products.flatMap(({ active, kind, prices, code, name }) => {
      const price = prices.find((one) => one.currency === currency);
      return active && kind === 'item' && price
        ? [{ code, name, cents: centsOf(price.amount) }]
        : [];
    });
    return wares.sort((a, b) => a.cents - b.cents || a.code.localeCompare(b.code));
  }

  /**
   * Opens a checkout session for the cart; `checkoutUrl` of the order is where the buyer goes.
   * Repeated with the same id and cart it is the same order, as long as that one is not paid.
   */
  async buy(wish: Wish, shopUrl: string): Promise<Order> {
    const lines = linesOf(wish, await this.wares(wish.currency));
    const running = this.#buying.get(wish.orderId);
    if (running) return running;
    const earlier = this.#store.findOrder(wish.orderId);
    if (earlier && isSameCart(earlier, wish, lines) && earlier.sessionStatus === 'open')
      return earlier;
    const orderId = earlier ? crypto.randomUUID() : wish.orderId;
    const opened = this.#open({ ...wish, orderId }, lines, shopUrl);
    this.#buying.set(wish.orderId, opened);
    try {
      return await opened;
    } finally {
      this.#buying.delete(wish.orderId);
    }
  }

  async #open(wish: Wish, lines: readonly OrderLine[], shopUrl: string): Promise<Order> {
    const params = {
      currency: wish.currency,
      captureMethod: wish.captureMethod,
      products: lines.map(({ code, quantity }) => ({ code, quantity })),
      account: this.#config.buyer,
      successUrl: `${shopUrl}/thanks?order=${wish.orderId}`,
      cancelUrl: `${shopUrl}${wish.cancelPath}`,
      metadata: { orderId: wish.orderId },
      checkoutBaseUrl: this.#config.checkoutUrl,
    };
    const options = { idempotencyKey: `order-${wish.orderId}-session` };
    const session = await this.#svc.checkout.sessions.create(params, options);
    // 204: nothing was due and a card is on file, so the order is complete already.
    const isOpened = 'redirectUrl' in session;
    const order: Order = {
      id: wish.orderId,
      createdAt: new Date().toISOString(),
      currency: wish.currency,
      captureMethod: wish.captureMethod,
      lines,
      totalCents: isOpened ? lines.reduce((sum, line) => sum + line.totalCents, 0) : 0,
      sessionId: isOpened ? session.sessionId : null,
      nonce: isOpened ? session.nonce : '',
      checkoutUrl: isOpened ? session.redirectUrl : params.successUrl,
      sessionStatus: isOpened ? 'open' : 'completed',
      paymentId: null,
      paymentStatus: null,
      paymentVersion: 0,
      voidReason: null,
      holdEndsAt: null,
      fulfilment: null,
      mismatch: null,
      trouble: null,
    };
    this.#store.addOrder(order);
    // Before the buyer leaves: the webhook may be faster than the way back.
    await this.#store.save();
    return order;
  }

  /** Where the buyer sees and changes the saved cards. A real shop asks who it is first. */
  async cardsPage(returnUrl: string): Promise<string> {
    const path = `/v1/customers/${this.#config.buyer.userId}/page-links` as const;
    const { url } = await this.#svc.request('POST', path, { returnUrl });
    return url;
  }

  /** Reads the order's session and payment again. False when the service did not say. */
  async refresh(order: Order): Promise<boolean> {
    try {
      if (order.sessionId !== null && order.sessionStatus !== 'completed') {
        const { sessions } = this.#svc.checkout;
        const session = await sessions.getStatus(order.sessionId, order.nonce, reading);
        order.sessionStatus = session.status;
        order.paymentId = session.paymentId ?? order.paymentId;
        order.holdEndsAt = session.authorizationExpiresAt ?? order.holdEndsAt;
      }
      if (order.paymentId) {
        const path = `/v1/payments/${encodeURIComponent(order.paymentId)}` as const;
        applyPayment(order, await this.#svc.request('GET', path, undefined, reading));
      }
      await this.#store.save();
      return true;
    } catch (error) {
      if (error instanceof SvcError) return false;
      throw error;
    }
  }

  /** Reads the newest orders that can still change; false when one could not be read. */
  async refreshOpen(): Promise<boolean> {
    const open = this.#store.listOrders().filter(isOpen).slice(0, 20);
    return (await Promise.all(open.map((order) => this.refresh(order)))).every(Boolean);
  }

  /**
   * Captures or cancels a hold. The key is the order's own, so asking again, after a timeout or
   * by a second click, drives the same operation on. How it failed stands on the order.
   */
  async settle(order: Order, operation: 'capture' | 'cancel'): Promise<void> {
    if (!isHeld(order) || !order.paymentId) return;
    const id = encodeURIComponent(order.paymentId);
    const options = { idempotencyKey: `order-${order.id}-${operation}` };
    try {
      const payment =
        operation === 'capture'
          ? await this.#svc.request('PUT', `/v1/payments/${id}/capture`, {}, options)
          : await this.#svc.request('PUT', `/v1/payments/${id}/cancel`, {}, options);
      applyPayment(order, payment);
      order.trouble = null;
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      const { code, message, requestId } = error;
      order.trouble = { operation, code: code ?? 'error', message, requestId: requestId ?? null };
    }
    await this.#store.save();
  }

  /**
   * Takes one delivery: verified or refused, once per event id. Resolves when it is kept; what
   * rejects was not, and has to be delivered again.
   */
  async receive(raw: Buffer, signature: string | string[] | undefined): Promise<Delivery> {
    const seen = { receivedAt: new Date().toISOString(), raw: raw.toString('utf8') };
    let event: WebhookEvent;
    try {
      event = this.#svc.webhooks.constructEvent(raw, signature, this.#config.webhookSecret);
    } catch (error) {
      const refusal = error instanceof Error ? error.message : 'refused';
      const refused = { isVerified: false, isDuplicate: false, refusal, effect: 'Refused' };
      const delivery = { ...seen, ...refused, eventId: null, type: null, paymentId: null };
      this.#store.addDelivery({ ...delivery, raw: seen.raw.slice(0, 4_000) });
      return delivery;
    }
    const isDuplicate = !this.#store.takeEvent(event.id);
    const delivery: Delivery = {
      ...seen,
      isVerified: true,
      isDuplicate,
      refusal: null,
      eventId: event.id,
      type: event.type,
      paymentId: subjectOf(event).paymentId,
      effect: isDuplicate ? 'Taken before, ignored' : this.#apply(event),
    };
    this.#store.addDelivery(delivery);
    await this.#store.save();
    return delivery;
  }

  /** What an event changes in the shop, in words. Spec: Events, rule 1. */
  #apply(event: WebhookEvent): string {
    const { sessionId, paymentId } = subjectOf(event);
    const order = this.#store.findOrderOf(sessionId, paymentId) ?? this.#completedBy(event);
    if (!order) return 'Noted; not an order of this shop';
    order.paymentId ??= paymentId;
    // Other events are news, not orders to act: what they claim is read from the API.
    if (event.type !== 'item.purchased') return 'Noted';
    const { amount, currency } = event.data.object;
    if (centsOf(amount) !== order.totalCents || currency !== order.currency) {
      order.mismatch = `item.purchased names ${amount} ${currency}, which is not the order's total.`;
      return 'Not fulfilled: the amount differs from the order';
    }
    order.fulfilment ??= { eventId: event.id, at: new Date().toISOString() };
    order.paymentStatus = 'succeeded';
    return 'Order released for packing';
  }

  /** An order that needed no checkout learns its session from the first event, by the metadata. */
  #completedBy({ type, data }: WebhookEvent): Order | undefined {
    if (type !== 'checkout.session.completed') return undefined;
    const { id, metadata } = data.object;
    const order = this.#store.findOrder(metadata.orderId ?? '');
    if (order?.sessionId !== null) return undefined;
    order.sessionId = id;
    return order;
  }
}

function subjectOf(event: WebhookEvent): { sessionId: string | null; paymentId: string | null } {
  const object = event.data.object as Readonly<Record<string, unknown>>;
  const text = (value: unknown) => (typeof value === 'string' ? value : null);
  const isPayment = event.type.startsWith('payment.');
  return {
    sessionId: text(object.sessionId),
    paymentId: text(isPayment ? object.id : object.paymentId),
  };
}

/** A cart that cannot be sold as it is; the message is for the buyer. */
export class CartError extends Error {}

function linesOf(wish: Wish, wares: readonly Ware[]): OrderLine[] {
  const lines = wares.flatMap(({ code, name, cents }) => {
    const quantity = wish.quantities.get(code) ?? 0;
    return quantity > 0 ? [{ code, name, quantity, totalCents: cents * quantity }] : [];
  });
  if (lines.length === 0) throw new CartError('The cart is empty.');
  return lines;
}

function isSameCart(order: Order, wish: Wish, lines: readonly OrderLine[]): boolean {
  const isSame = JSON.stringify(order.lines) === JSON.stringify(lines);
  return isSame && order.currency === wish.currency && order.captureMethod === wish.captureMethod;
}
