// What the storefront calls: the session of the active order, its confirmation, and the buyer's saved cards.

import { Args, Mutation, Query, Resolver } from '@nestjs/graphql';
import { type PaymentMethod, SvcCardError, SvcConflictError, SvcError } from '@svc/server';
import { type OpenedSession, remedyOf } from '@svc/server/shops';
import {
  ActiveOrderService,
  Allow,
  Ctx,
  type Customer,
  CustomerService,
  Logger,
  type Order,
  type Payment,
  Permission,
  type RequestContext,
  UserInputError,
} from '@vendure/core';
import { parse } from 'graphql';
import { method, takes } from './inject.ts';
import { log, SvcOrders } from './orders.ts';

export const schema = parse(`
  "Where an order stands: open (pay it), paid (held or taken), declined, undone (given back), wait (not known yet)."
  type SvcPayment {
    state: String!
    message: String!
    orderCode: String!
    "Send the buyer to url, or mount the card form with sessionId and nonce. Null unless state is open."
    url: String
    sessionId: String
    nonce: String
  }
  "Its id is Svc's own, and no ID: those Vendure reads as numbers of its database."
  type SvcCard { id: String! brand: String lastFour: String expiryMonth: Int expiryYear: Int }
  extend type Query { svcCards: [SvcCard!]! }
  extend type Mutation {
    "Without orderCode of the active order; with it of a placed one that was changed and costs more."
    createSvcSession(orderCode: String): SvcPayment!
    confirmSvcPayment(orderCode: String!): SvcPayment!
    payWithSvcCard(id: String!): SvcPayment!
    deleteSvcCard(id: String!): Boolean!
  }
`);

export const adminSchema = parse(`
  extend type Mutation {
    "Where the buyer pays what is due: to send by mail, where a placed order was changed and costs more."
    svcPaymentLink(orderCode: String!): String!
  }
`);

type SvcPayment = { state: string; message: string; orderCode: string } & Partial<
  Pick<OpenedSession & { kind: 'open' }, 'url' | 'sessionId' | 'nonce'>
>;

export class SvcResolver {
  readonly svcOrders!: SvcOrders;
  readonly active!: ActiveOrderService;
  readonly customers!: CustomerService;

  async createSvcSession(ctx: RequestContext, orderCode?: string): Promise<SvcPayment> {
    const order = orderCode ? await this.#theirOrder(ctx, orderCode) : await this.#activeOrder(ctx);
    return this.#open(ctx, order);
  }

  #open(ctx: RequestContext, order: Order): Promise<SvcPayment> {
    return inWords(async () => {
      const wanted = await this.svcOrders.shopOrder(ctx, order);
      const { payments } = await this.svcOrders.accountOf(ctx, order.id);
      const opened = await payments.open(wanted);
      if (opened.kind === 'settled') return this.#confirm(ctx, order.code);
      const { url, sessionId, nonce } = opened;
      return { state: 'open', message: '', orderCode: order.code, url, sessionId, nonce };
    }, order.code);
  }

  async confirmSvcPayment(ctx: RequestContext, orderCode: string): Promise<SvcPayment> {
    await this.#theirOrder(ctx, orderCode);
    return inWords(() => this.#confirm(ctx, orderCode), orderCode);
  }

  async #confirm(ctx: RequestContext, orderCode: string): Promise<SvcPayment> {
    const state = await this.svcOrders.follow(ctx, orderCode);
    const order = await this.svcOrders.orders.findOneByCode(ctx, orderCode);
    const rows = order ? await this.svcOrders.orders.getOrderPayments(ctx, order.id) : [];
    const message = state === 'undone' ? lastMessage(rows) : '';
    return { state, message, orderCode };
  }

  async svcCards(ctx: RequestContext): Promise<PaymentMethod[]> {
    const customer = await this.#customer(ctx);
    return customer ? this.#cardsOf(ctx, customer) : [];
  }

  /** Charges a saved card for the active order, without the checkout page unless the bank asks for the buyer. */
  async payWithSvcCard(ctx: RequestContext, id: string): Promise<SvcPayment> {
    const customer = await this.#customerWithCard(ctx, id);
    const opened = await this.createSvcSession(ctx);
    const { sessionId, nonce, orderCode } = opened;
    if (!sessionId || !nonce) return opened;
    const userId = String(customer.id);
    const { svc } = this.svcOrders.accounts.ofChannel(ctx.channel.token);
    return inWords(async () => {
      const path = `/v1/checkouts/sessions/${sessionId}/process` as const;
      const tokenizedData = {
        provider: 'cardprovider',
        type: 'card',
        paymentMethodId: id,
      } as const;
      const accountData = { userId, email: customer.emailAddress };
      const body = { sessionId, tokenizedData, accountData };
      const answer = await svc.request('POST', path, body, { nonce, userId });
      if (answer.type === '3ds_required') return { ...opened, message: 'The bank asks: open url.' };
      return this.#confirm(ctx, orderCode);
    }, orderCode);
  }

  async deleteSvcCard(ctx: RequestContext, id: string): Promise<boolean> {
    await this.#customerWithCard(ctx, id);
    await inWords(
      () => this.svcOrders.accounts.ofChannel(ctx.channel.token).svc.paymentMethods.delete(id),
      id,
    );
    return true;
  }

  /** By the rules of the shop's own `orderByCode`. */
  async #theirOrder(ctx: RequestContext, orderCode: string): Promise<Order> {
    const order = await this.svcOrders.orders.findOneByCode(ctx, orderCode);
    const { orderByCodeAccessStrategy } = this.svcOrders.config.orderOptions;
    const active = await this.active.getActiveOrder(ctx, undefined);
    const isTheirs =
      order &&
      (active?.code === orderCode || (await orderByCodeAccessStrategy.canAccessOrder(ctx, order)));
    if (!isTheirs) throw new UserInputError('There is no such order of this buyer.');
    return order;
  }

  async #activeOrder(ctx: RequestContext): Promise<Order> {
    const active = await this.active.getActiveOrder(ctx, undefined);
    const order = active && (await this.svcOrders.orders.findOne(ctx, active.id));
    if (!order) throw new UserInputError('There is no active order.');
    if (order.state === 'ArrangingPayment') return order;
    throw new UserInputError(
      'Call transitionOrderToState(state: "ArrangingPayment") first: there the cart stays as it is while the buyer pays.',
    );
  }

  async #customer(ctx: RequestContext): Promise<Customer | undefined> {
    return ctx.activeUserId
      ? this.customers.findOneByUserId(ctx, ctx.activeUserId)
      : Promise.resolve(undefined);
  }

  /** The customer who is signed in; throws unless the card is theirs. */
  async #customerWithCard(ctx: RequestContext, id: string): Promise<Customer> {
    const customer = await this.#customer(ctx);
    const cards = customer ? await this.#cardsOf(ctx, customer) : [];
    if (customer && cards.some((card) => card.id === id)) return customer;
    throw new UserInputError('There is no such card of this customer.');
  }

  async #cardsOf(ctx: RequestContext, { id }: Customer): Promise<PaymentMethod[]> {
    const { svc } = this.svcOrders.accounts.ofChannel(ctx.channel.token);
    const own = String(id);
    const isUuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(own);
    const query = new URLSearchParams({ [isUuid ? 'id[eq]' : 'externalId[eq]']: own });
    const { data } = await svc.request('GET', `/v1/customers?${query}`);
    const [customer] = data;
    if (!customer) return [];
    const active = { userUuid: customer.id, status: { eq: 'active' as const } };
    return (await svc.paymentMethods.list(active)).data;
  }
}

const lastMessage = (rows: readonly Payment[]): string =>
  rows.at(-1)?.errorMessage ?? 'The money was given back: this order does not take it.';

/** Runs calls to Svc. A buyer reads what to do; the shop's log reads what is wrong and what mends it. */
async function inWords<T>(run: () => Promise<T>, about: string): Promise<T | SvcPayment> {
  try {
    return await run();
  } catch (error) {
    const orderCode = about;
    if (error instanceof SvcCardError) {
      return { state: 'declined', message: error.message, orderCode };
    }
    if (error instanceof SvcConflictError && error.code === 'checkout_attempt_in_progress') {
      return { state: 'wait', message: 'This order is being paid in another window.', orderCode };
    }
    Logger.error(`${about}: ${remedyOf(error)}`, log);
    // Its addresses and credentials are no business of buyers.
    if (error instanceof SvcError) {
      throw new Error('The payment cannot be made at the moment: the log of the shop says why.');
    }
    throw error;
  }
}

/** For the admin API. Whoever opens the link is a guest: nobody is vouched for by mail. */
export class SvcAdminResolver {
  readonly svcOrders!: SvcOrders;

  async svcPaymentLink(ctx: RequestContext, orderCode: string): Promise<string> {
    const order = await this.svcOrders.orders.findOneByCode(ctx, orderCode);
    if (!order) throw new UserInputError(`There is no order ${orderCode}.`);
    const wanted = await this.svcOrders.shopOrder(ctx, order);
    const { payments } = await this.svcOrders.accountOf(ctx, order.id);
    const opened = await payments.open(wanted);
    if (opened.kind === 'open') return opened.url;
    throw new UserInputError(`Order ${orderCode} is paid already: payment ${opened.payment.id}.`);
  }
}

Resolver()(SvcAdminResolver);
takes(SvcAdminResolver, { svcOrders: SvcOrders });
const updateOrder = Allow(Permission.UpdateOrder);
method(SvcAdminResolver, 'svcPaymentLink', [Mutation(), updateOrder], [Ctx(), Args('orderCode')]);

Resolver()(SvcResolver);
takes(SvcResolver, {
  svcOrders: SvcOrders,
  active: ActiveOrderService,
  customers: CustomerService,
});
const owner = Allow(Permission.Owner);
method(SvcResolver, 'createSvcSession', [Mutation(), owner], [Ctx(), Args('orderCode')]);
method(SvcResolver, 'confirmSvcPayment', [Mutation(), owner], [Ctx(), Args('orderCode')]);
method(SvcResolver, 'payWithSvcCard', [Mutation(), owner], [Ctx(), Args('id')]);
method(SvcResolver, 'deleteSvcCard', [Mutation(), owner], [Ctx(), Args('id')]);
method(SvcResolver, 'svcCards', [Query(), owner], [Ctx()]);
