// Brings an order's books in line with what Svc says was paid for it. Whoever brings news, the buyer's browser, a
// webhook, an admin, the order's row is locked first and Svc is read afterwards: they take turns, and the second
// finds done what the first did.

import type { Payment as SvcPayment, WebhookEvent } from '@svc/server';
import {
  covers,
  isOwed,
  type Money,
  moneyOf,
  refundedOf,
  type ShopOrder,
  shopNumberOf,
  standingOf,
  troubleOf,
} from '@svc/server/shops';
import {
  ConfigService,
  type ID,
  idsAreEqual,
  isGraphQlErrorResult,
  Logger,
  Order,
  OrderService,
  Payment,
  PaymentMethodService,
  Refund,
  type RequestContext,
  RequestContextService,
  TransactionalConnection,
  totalCoveredByPayments,
  UserInputError,
} from '@vendure/core';
import { takes } from './inject.ts';
import { type Account, Accounts } from './options.ts';
import { countryOf, payAgain, referenceOf } from './order-facts.ts';

export const handlerCode = 'svc';
export const log = 'SvcPlugin';

/** The states of Vendure's rows that need nothing, by the status at Svc; '' where there need be no row. */
const booked: Readonly<Record<string, readonly string[]>> = {
  authorized: ['Authorized'],
  succeeded: ['Settled'],
  refunded: ['Settled', ''],
  partially_refunded: ['Settled'],
  voided: ['Cancelled', ''],
  failed: [''],
  refund_failed: ['Failed'],
  processing: ['Pending'],
};

/** Where an order stands with the buyer's money. */
export type Followed = 'paid' | 'open' | 'undone';

export class SvcOrders {
  readonly accounts!: Accounts;
  readonly connection!: TransactionalConnection;
  readonly orders!: OrderService;
  readonly methods!: PaymentMethodService;
  readonly config!: ConfigService;
  readonly contexts!: RequestContextService;

  /** The merchant who takes an order's money. The default channel has every order, and its admins settle them all. */
  async accountOf(ctx: RequestContext, id: ID): Promise<Account> {
    const own = this.accounts.ofChannel(ctx.channel.token);
    if (own.channel || this.accounts.all().length === 1) return own;
    const rows = this.connection.getRepository(ctx, Order);
    const [order] = await rows.find({ where: { id }, relations: ['channels'] });
    const channels = order?.channels.map(({ token }) => this.accounts.ofChannel(token)) ?? [];
    return channels.find(({ channel }) => channel) ?? own;
  }

  /** Vendure counts hundredths in every currency, where its MoneyStrategy does not say otherwise: yen too. */
  get decimals(): number {
    return this.config.entityOptions.moneyStrategy.precision ?? 2;
  }

  money(value: number, order: Order): Money {
    return moneyOf(value, this.decimals, order.currencyCode);
  }

  /**
   * Waits until nobody else brings this order in line; ends with the transaction. SQLite has no row locks, and
   * writes one transaction at a time.
   */
  async lock(ctx: RequestContext, id: ID): Promise<void> {
    if (/sqlite|sqljs/.test(String(this.connection.rawConnection.options.type))) return;
    const rows = this.connection.getRepository(ctx, Order).createQueryBuilder('o');
    await rows.setLock('pessimistic_write').where('o.id = :id', { id }).getOne();
  }

  /** Waits, and gives the row that Vendure has read the state that it has now: a webhook may have come first. */
  async takeTurn(ctx: RequestContext, order: Order, payment: Payment): Promise<void> {
    await this.lock(ctx, order.id);
    const rows = await this.orders.getOrderPayments(ctx, order.id);
    payment.state = rows.find(({ id }) => idsAreEqual(id, payment.id))?.state ?? payment.state;
  }

  /** The session that this order's buyer is to pay, without those payments that the order already has. */
  async shopOrder(ctx: RequestContext, order: Order): Promise<ShopOrder> {
    const { customer } = order;
    if (!customer) throw new UserInputError(`Order ${order.code} has no customer: set one first.`);
    if (!order.state.startsWith('Arranging')) {
      throw new UserInputError(
        `Order ${order.code} is ${order.state}: it is paid in ArrangingPayment, and once placed in ArrangingAdditionalPayment.`,
      );
    }
    const payments = await this.orders.getOrderPayments(ctx, order.id);
    const due = this.#due(order, payments);
    if (due <= 0) throw new UserInputError(`Nothing is due: order ${order.code} needs no payment.`);
    const isWhole = due === order.totalWithTax;
    // A guest may type anybody's address: only who is signed in as this customer is vouched for.
    const { emailAddress: email, user } = customer;
    const isKnown = Boolean(user && idsAreEqual(user.id, ctx.activeUserId));
    const account = await this.accountOf(ctx, order.id);
    const { captureMethod = 'manual', successUrl, cancelUrl } = this.accounts.options;
    const address = (url: string) => url.replaceAll('{code}', encodeURIComponent(order.code));
    return {
      reference: referenceOf(order, payments),
      money: this.money(due, order),
      lines: isWhole ? this.#lines(order) : [],
      account: {
        ...(isKnown ? { userId: String(customer.id), email } : { guest: true, email }),
        ...countryOf(order),
      },
      captureMethod,
      metadata: { channel: account.channel ?? ctx.channel.token, order: order.code },
      ...(successUrl ? { successUrl: address(successUrl) } : {}),
      ...(cancelUrl ? { cancelUrl: address(cancelUrl) } : {}),
    };
  }

  #lines(order: Order): NonNullable<ShopOrder['lines']> {
    const line = (name: string, value: number, quantity = 1) => ({
      name,
      quantity,
      minor: this.money(value, order).minor,
    });
    const lines = order.lines
      .filter(({ quantity }) => quantity > 0)
      .map((one) => line(one.productVariant.name, one.proratedLinePriceWithTax, one.quantity));
    const more = order.surcharges.map((one) => line(one.description, one.priceWithTax));
    const shipping = order.shippingWithTax ? [line('Shipping', order.shippingWithTax)] : [];
    return [...lines, ...more, ...shipping];
  }

  /** What was begun for the order at Svc and whole in its hands, but is not among the order's payments. */
  async unrecorded(ctx: RequestContext, order: Order): Promise<SvcPayment[]> {
    const rows = await this.orders.getOrderPayments(ctx, order.id);
    const references = [...rows.keys(), rows.length].map((count) =>
      referenceOf(order, rows.slice(0, count)),
    );
    const { payments } = await this.accountOf(ctx, order.id);
    const begun = await Promise.all(
      [...new Set(references)].map((one) => payments.paymentsOf(one)),
    );
    return begun.flat().filter(({ id }) => !rows.some((row) => row.transactionId === id));
  }

  /** An event says only that there is news: the order is brought in line with what Svc says now. */
  async hear(account: Account, event: WebhookEvent, { isSweep = false } = {}): Promise<void> {
    if (event.resource.type !== 'payment') return;
    const told = await account.svc.payments.retrieve(event.resource.id);
    if (isSweep && (await this.#isBooked(told))) return;
    const { type, parentPaymentId } = told;
    const payment = parentPaymentId ? await account.svc.payments.retrieve(parentPaymentId) : told;
    const { channel, order } = payment.metadata;
    // What the plugin did not begin is no business of this shop.
    if (!channel || !order || this.accounts.ofChannel(channel) !== account) return;
    const ctx = await this.contexts.create({ apiType: 'admin', channelOrToken: channel });
    await this.follow(ctx, order, type === 'refund' ? told.id : undefined);
  }

  /** Whether the books have a payment or refund as it stands: most of what a sweep reads. */
  async #isBooked(told: SvcPayment): Promise<boolean> {
    const where = { transactionId: told.id };
    const rows = await (told.type === 'refund'
      ? this.connection.rawConnection.getRepository(Refund).find({ where })
      : this.connection.rawConnection.getRepository(Payment).find({ where }));
    const states = booked[told.status] ?? [];
    return rows.length === 0
      ? states.includes('')
      : rows.every(({ state }) => states.includes(state));
  }

  /** Brings an order in line. `refundId`: a refund that an event told of, in case no list has it yet. */
  async follow(ctx: RequestContext, code: string, refundId?: string): Promise<Followed> {
    return this.connection.withTransaction(ctx, async (tx) => {
      const found = await this.orders.findOneByCode(tx, code);
      if (!found) {
        Logger.error(
          `Svc has a payment for order ${code}, which is not in this shop. Release or refund it in Svc's dashboard.`,
          log,
        );
        return 'undone';
      }
      await this.lock(tx, found.id);
      const undone = await this.#take(tx, found);
      const rows = await this.orders.getOrderPayments(tx, found.id);
      for (const row of rows) await this.#align(tx, found, row, refundId);
      if (undone) return 'undone';
      return (await this.#isPaid(tx, found.id)) ? 'paid' : 'open';
    });
  }

  /** While an order takes payments it is paid once nothing is due; later refunds make it no unpaid one. */
  async #isPaid(ctx: RequestContext, id: ID): Promise<boolean> {
    const order = await this.orders.findOne(ctx, id);
    if (!order) return false;
    const payments = await this.orders.getOrderPayments(ctx, id);
    const isArranging = /^(Adding|Arranging)/.test(order.state);
    if (isArranging && this.#due(order, payments) > 0) return false;
    return payments.some(({ state }) => state === 'Authorized' || state === 'Settled');
  }

  #due(order: Order, payments: Payment[]): number {
    return order.totalWithTax - totalCoveredByPayments(Object.assign(order, { payments }));
  }

  /** Gives the order what was paid for it. Returns true where it could not take it, and it was undone. */
  async #take(ctx: RequestContext, order: Order): Promise<boolean> {
    const isMoney = (one: SvcPayment) => ['held', 'paid'].includes(standingOf(one));
    const begun = await this.unrecorded(ctx, order);
    if (!begun.some(isMoney)) {
      const trouble = begun[0] && troubleOf(begun[0]);
      if (trouble) Logger.error(`Order ${order.code}: ${trouble}`, log);
      return false;
    }
    if (order.state === 'AddingItems') {
      await this.orders.transitionToState(ctx, order.id, 'ArrangingPayment');
    }
    // The handler decides: it takes what covers the order, and undoes the rest.
    const methods = (await this.methods.findAll(ctx)).items;
    const method = methods.find(({ handler }) => handler.code === handlerCode);
    if (!method) {
      throw new Error(
        `Channel ${ctx.channel.token} has no payment method with the handler "${handlerCode}": make one in the admin under Settings, Payment methods. Svc delivers again.`,
      );
    }
    const input = { method: method.code, metadata: {} };
    const answer = await this.orders.addPaymentToOrder(ctx, order.id, input);
    if (!isGraphQlErrorResult(answer)) {
      await this.#endAdditional(ctx, answer);
      return false;
    }
    const left = (await this.unrecorded(ctx, order)).filter(isMoney);
    for (const payment of left) {
      await this.undo(ctx, order, payment, `the order is ${order.state} and takes no payment`);
    }
    return true;
  }

  /**
   * What a placed order was changed to cost more is paid: the changes name the payment, as after a payment that an
   * admin enters by hand, and the order goes back to where paid orders are. Vendure leaves both to who adds it.
   */
  async #endAdditional(ctx: RequestContext, { id, state }: Order): Promise<void> {
    if (state !== 'ArrangingAdditionalPayment') return;
    const payments = await this.orders.getOrderPayments(ctx, id);
    const payment = payments.at(-1);
    const changes = await this.orders.getOrderModifications(ctx, id);
    for (const change of changes.filter(({ isSettled }) => !isSettled)) {
      if (payment) change.payment = payment;
      // Vendure does not export the class of a change.
      const entity = change.constructor as new () => typeof change;
      await this.connection.getRepository(ctx, entity).save(change);
    }
    const isHeld = payments.some((one) => one.state === 'Authorized');
    await this.orders.transitionToState(ctx, id, isHeld ? 'PaymentAuthorized' : 'PaymentSettled');
  }

  async undo(ctx: RequestContext, order: Order, payment: SvcPayment, why: string): Promise<string> {
    const { payments } = await this.accountOf(ctx, order.id);
    const moved = await payments.undo(payment);
    const sum = `${payment.amount} ${payment.currency}`;
    if (isOwed(moved)) {
      throw new Error(
        `${sum} for order ${order.code} has to be given back, since ${why}, and was not yet: ${moved.message}`,
      );
    }
    const said = `${sum} for order ${order.code} was given back, since ${why}.`;
    Logger.warn(`${said} Payment ${payment.id} of Svc.`, log);
    return said;
  }

  /** Moves a payment of the order to where it stands at Svc, its refunds too. */
  async #align(
    ctx: RequestContext,
    order: Order,
    row: Payment,
    refundId: string | undefined,
  ): Promise<void> {
    if (!row.transactionId || !(await this.isOurs(ctx, row))) return;
    if (row.state !== 'Authorized' && row.state !== 'Settled') return;
    const { svc } = await this.accountOf(ctx, order.id);
    const payment = await svc.payments.retrieve(row.transactionId);
    const standing = standingOf(payment);
    if (row.state === 'Authorized') {
      if (standing === 'paid' || standing === 'returned') {
        await this.orders.settlePayment(ctx, row.id);
      }
      if (standing === 'released') {
        await this.orders.cancelPayment(ctx, row.id);
        const said = `Nothing is held for order ${order.code} any more: the hold of payment ${payment.id} was released or ran out.`;
        if (order.state !== 'Cancelled') Logger.warn(`${said} ${payAgain(order.code)}`, log);
      }
    }
    const refunds = new Map<string, SvcPayment>();
    if (row.refunds.length > 0 || payment.amountRefunded > 0) {
      const filter = { type: { eq: 'refund' as const }, parentPaymentId: { eq: payment.id } };
      const { data } = await svc.payments.list({ ...filter, limit: 100 });
      for (const one of data) refunds.set(one.id, one);
    }
    if (refundId) refunds.set(refundId, await svc.payments.retrieve(refundId));
    for (const refund of refunds.values()) {
      if (refund.parentPaymentId === payment.id) await this.#alignRefund(ctx, order, row, refund);
    }
  }

  /** A refund's row at the order follows; one made elsewhere, or whose transaction was lost, gets one. */
  async #alignRefund(
    ctx: RequestContext,
    order: Order,
    row: Payment,
    refund: SvcPayment,
  ): Promise<void> {
    const { state, message } = refundedOf(refund);
    const known =
      row.refunds.find(({ transactionId }) => transactionId === refund.id) ??
      row.refunds.find(
        ({ transactionId, metadata }) =>
          !transactionId && metadata.shopKey && metadata.shopKey === refund.metadata.shopKey,
      );
    if (!known && state === 'failed') return;
    const kept = known ?? (await this.#addRefund(ctx, row, refund));
    const wanted = { succeeded: 'Settled', failed: 'Failed' } as const;
    const to = state === 'succeeded' || state === 'failed' ? wanted[state] : undefined;
    if (!to || kept.state === to || kept.state === 'Failed') return;
    await this.orders.transitionRefundToState(ctx, kept.id, to, refund.id);
    if (to === 'Failed') {
      Logger.warn(`${message} The buyer of order ${order.code} has not been paid.`, log);
    }
  }

  async #addRefund(ctx: RequestContext, row: Payment, refund: SvcPayment): Promise<Refund> {
    const { amountMinor: minor, currency } = refund;
    return this.connection.getRepository(ctx, Refund).save(
      new Refund({
        payment: row,
        total: shopNumberOf({ minor, currency }, this.decimals),
        method: row.method,
        reason: 'Made at Svc',
        state: 'Pending',
        transactionId: refund.id,
        metadata: {},
        ...{ items: 0, shipping: 0, adjustment: 0 },
      }),
    );
  }

  async isOurs(ctx: RequestContext, row: Payment): Promise<boolean> {
    const { items } = await this.methods.findAll(ctx);
    return items.some(({ code, handler }) => code === row.method && handler.code === handlerCode);
  }

  /** Ends what nobody is to pay any more, and releases what is held for an order that was cancelled. */
  async leave(ctx: RequestContext, order: Order, state: string): Promise<void> {
    const rows = await this.orders.getOrderPayments(ctx, order.id);
    const { payments } = await this.accountOf(ctx, order.id);
    await payments.close(referenceOf(order, rows));
    if (state !== 'Cancelled') return;
    await this.connection.withTransaction(ctx, async (tx) => {
      await this.lock(tx, order.id);
      for (const row of await this.orders.getOrderPayments(tx, order.id)) {
        const isHeld = row.state === 'Authorized' && (await this.isOurs(tx, row));
        if (isHeld) await this.orders.cancelPayment(tx, row.id);
      }
    });
  }

  /** The payment that covers what the order is to pay now. */
  cover(payments: readonly SvcPayment[], value: number, order: Order): SvcPayment | undefined {
    return payments.find((payment) => covers(payment, this.money(value, order)));
  }
}

takes(SvcOrders, {
  accounts: Accounts,
  connection: TransactionalConnection,
  orders: OrderService,
  methods: PaymentMethodService,
  config: ConfigService,
  contexts: RequestContextService,
});
