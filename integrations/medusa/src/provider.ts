// The payment provider that Medusa's payment module calls. It never calls an order paid that it has not read as paid.

import { AbstractPaymentProvider, MedusaError } from '@medusajs/framework/utils';
import { type Payment, SvcCardError, SvcError } from '@svc/server';
import {
  covers,
  givenBack,
  isOwed,
  isTaken,
  type Money,
  type Moved,
  moneyOf,
  remedyOf,
  type ShopOrder,
  standingOf,
} from '@svc/server/shops';
import { type Account, checkOptions, openAccount, type SvcOptions } from './options.ts';
import { type Cradle, medusaMoney, numberOf, readOrder, readRefunds } from './rows.ts';
import { type Kept, type MerchantSession, SavedCards } from './saved-cards.ts';
import { readWebhook, type WebhookPayload, type WebhookResult } from './webhook.ts';

type Data = Record<string, unknown>;
type Context = { customer?: { id: string; email: string }; idempotency_key?: string };
type Input = { data?: Data; context?: Context };
type Asked = Input & { amount: unknown; currency_code: string };
type Status = 'pending' | 'requires_more' | 'authorized' | 'captured' | 'canceled';
type Standing = { status: Status; data: Data };
type Output = { data: Data };
type Holding = { context?: { account_holder?: { data?: Data } } };

export class SvcPaymentProvider extends AbstractPaymentProvider<SvcOptions> {
  static override identifier = 'svc';

  static validateOptions(options: Data): void {
    checkOptions(options);
  }

  readonly #cradle: Cradle;
  readonly #options: SvcOptions;
  readonly #at: Account;
  readonly #cards: SavedCards;

  constructor(cradle: Cradle, options: SvcOptions) {
    super(cradle, options);
    checkOptions(options);
    this.#cradle = cradle;
    this.#options = options;
    this.#at = openAccount(options);
    this.#cards = new SavedCards(this.#at.svc);
  }

  getIdentifier(): string {
    return SvcPaymentProvider.identifier;
  }

  /** Opens the one session of the order; one that is still open for the same order is ended with it. */
  async initiatePayment({
    amount,
    currency_code,
    data = {},
    context,
  }: Asked): Promise<Kept & Standing> {
    return this.#doForBuyer('The payment cannot begin', async () => {
      if (!currency_code) throw new Error('the order has no currency; set it on its region');
      const money = this.#money(amount, currency_code);
      const session = String(data.session_id);
      const { successUrl, cancelUrl, capture } = this.#options;
      const { sessionId, nonce, url } = await this.#open({
        reference: String(data.svc_reference ?? session),
        money,
        lines: [{ name: this.#lineName, quantity: 1, minor: money.minor }],
        account: buyerOf(data, context),
        captureMethod: capture ? 'automatic' : 'manual',
        metadata: { medusa_session: session },
        ...(successUrl ? { successUrl } : {}),
        ...(cancelUrl ? { cancelUrl } : {}),
      });
      return {
        id: sessionId,
        status: 'pending' as const,
        // Everything that a storefront sent under these names is replaced.
        data: {
          session_id: session,
          svc_session: sessionId,
          svc_nonce: nonce,
          svc_url: url,
          svc_payment: null,
          svc_amount: money.amount,
          svc_currency: money.currency,
        },
      };
    });
  }

  /** The total changed: the open session follows, and the buyer's page with it. */
  async updatePayment({ amount, currency_code, data = {} }: Asked): Promise<Output> {
    return this.#do("The payment cannot follow the order's total", async () => {
      const money = this.#money(amount, currency_code);
      if (money.currency !== data.svc_currency)
        throw new Error('the currency changed; choose the payment again');
      if (money.amount === data.svc_amount) return { data };
      await this.#at.svc.checkoutSessions.update(String(data.svc_session), {
        products: [{ name: this.#lineName, quantity: 1, amount: money.amount }],
      });
      return { data: { ...data, svc_amount: money.amount } };
    });
  }

  async authorizePayment({ data = {} }: Input): Promise<Standing> {
    return this.#doForBuyer('The payment could not be confirmed', async () => {
      const card = data.payment_method_id;
      let session = await this.#readSession(data);
      if (session.status === 'open' && typeof card === 'string') {
        await this.#cards.pay(session, { nonce: String(data.svc_nonce), card });
        session = await this.#readSession(data);
      }
      const standing = await this.#standingOf(session, data);
      const isPaid = standing.status === 'authorized' || standing.status === 'captured';
      return isPaid ? this.#compare(standing) : standing;
    });
  }

  async getPaymentStatus({ data = {} }: Input): Promise<Standing> {
    return this.#do('The payment could not be read', async () =>
      this.#standingOf(await this.#readSession(data), data),
    );
  }

  async retrievePayment({ data = {} }: Input): Promise<Output> {
    return { data: (await this.getPaymentStatus({ data })).data };
  }

  /** Svc captures a hold once and whole; `middlewares.ts` refuses parts, where Medusa still knows the amount. */
  async capturePayment({ data = {} }: Input): Promise<Output> {
    return this.#do('The payment was not captured', async () => {
      const moved = await this.#at.payments.capture(paymentOf(data));
      if (!moved.payment || !isTaken(moved.payment)) throw new Error(whyNot(moved));
      return { data: { ...data, svc_status: moved.payment.status } };
    });
  }

  async refundPayment({
    data = {},
    amount,
    context,
  }: Omit<Asked, 'currency_code'>): Promise<Output> {
    return this.#do('Nothing was refunded by this press', async () => {
      const seen = await this.#read(paymentOf(data));
      const money = this.#money(amount, seen.currency);
      const id = context?.idempotency_key ?? '';
      const books = await readRefunds(this.#cradle, id, seen.currency);
      // An earlier press lost its answer, and Medusa forgot it: its refund is the one that is meant.
      const isGivenBack = books && givenBack(seen) - books.before === money.minor;
      const after = isGivenBack ? seen : await this.#refund(seen, money);
      if (books && books.after > givenBack(after)) {
        throw new Error('another press made this refund already; look at the order again');
      }
      return { data: { ...data, svc_status: after.status } };
    });
  }

  async cancelPayment({ data = {} }: Input): Promise<Output> {
    return this.#do('The payment was not cancelled', async () => {
      const session = await this.#readSession(data);
      if (session.paymentId && ['authorized', 'completed'].includes(session.status)) {
        await this.#undo(await this.#read(session.paymentId));
      } else if (!['expired', 'canceled'].includes(session.status)) {
        await this.#at.svc.checkoutSessions.expire(session.id);
      }
      return { data: { ...data, svc_status: 'canceled' } };
    });
  }

  /** Medusa lets go of a session when the cart changes: what was held for the old total is released. */
  async deletePayment({ data = {} }: Input): Promise<Output> {
    if (typeof data.svc_session !== 'string') return { data };
    return this.#do('The payment was not let go', async () => {
      await this.#refusePlaced(data.session_id);
      return this.cancelPayment({ data });
    });
  }

  createAccountHolder(input: {
    context: { customer: { id: string; email: string } };
  }): Promise<Kept> {
    return this.#do('The customer was not made', () =>
      this.#cards.openHolder(input.context.customer),
    );
  }

  listPaymentMethods(input: Holding): Promise<Kept[]> {
    return this.#do('The saved cards were not read', () =>
      this.#cards.list(input.context?.account_holder?.data),
    );
  }

  savePaymentMethod(input: Holding): Promise<Kept> {
    return this.#do('No card was saved', () =>
      this.#cards.save(input.context?.account_holder?.data),
    );
  }

  deletePaymentMethod(input: Holding & { data: { id: string } }): Promise<object> {
    return this.#do('The card was not removed', () =>
      this.#cards.remove(input.context?.account_holder?.data, input.data.id),
    );
  }

  getWebhookActionAndData(payload: WebhookPayload): Promise<WebhookResult> {
    const { webhookSecret: secret } = this.#options;
    const warn = (text: string) => this.#cradle.logger?.warn(`@svc/medusa: ${text}`);
    return this.#do('A webhook was refused', async () =>
      this.#withAskedAmount(await readWebhook(payload, { svc: this.#at.svc, secret, warn })),
    );
  }

  /** Medusa captures what it is told: the amount that it asked for, which may have more decimals than was paid. */
  async #withAskedAmount(result: WebhookResult): Promise<WebhookResult> {
    if (!result.data) return result;
    const order = await readOrder(this.#cradle, result.data.session_id);
    return order ? { ...result, data: { ...result.data, amount: numberOf(order.asked) } } : result;
  }

  /** What was held for an order that was never placed is released first: its buyer has begun again. */
  async #open(order: ShopOrder) {
    const opened = await this.#at.payments.open(order);
    if (opened.kind === 'open') return opened;
    await this.#refusePlaced(opened.payment.metadata.medusa_session);
    await this.#undo(opened.payment);
    const again = await this.#at.payments.open(order);
    if (again.kind === 'open') return again;
    throw new Error('the buyer has paid in another tab; complete the cart');
  }

  #read(paymentId: string): Promise<Payment> {
    return this.#at.svc.payments.retrieve(paymentId);
  }

  /** Releases a hold, gives back what was taken. Nothing is owed afterwards, or it throws. */
  async #undo(payment: Payment): Promise<void> {
    const moved = await this.#at.payments.undo(payment);
    if (isOwed(moved)) throw new Error(whyNot(moved));
  }

  /**
   * The key contains the version that was read, so that two presses at once are one refund, as is a second one after a
   * request that never arrived. One that did arrive shows in what was given back.
   */
  async #refund(seen: Payment, money: Money): Promise<Payment> {
    const key = `medusa-refund-${seen.version}-${money.minor}-${seen.id}`;
    const { state, message } = await this.#at.payments.refund(seen.id, { key, money });
    if (state === 'failed' || state === 'unknown') throw new Error(message);
    return this.#read(seen.id);
  }

  /** What is charged or given back where Medusa counts more decimals stands in the log. */
  #money(amount: unknown, currency: string): Money {
    const money = medusaMoney(amount, currency);
    if (money.rounded) this.#cradle.logger?.warn(`@svc/medusa: ${money.rounded}`);
    return money;
  }

  /** Medusa's storefront may begin a payment, or let one go, whose order is placed long since: in another tab. */
  async #refusePlaced(session: unknown): Promise<void> {
    const order = typeof session === 'string' ? await readOrder(this.#cradle, session) : undefined;
    if (order?.isPlaced)
      throw new Error('the order is placed; its payment is cancelled or refunded in the admin');
  }

  get #lineName(): string {
    return this.#options.lineName ?? 'Your order';
  }

  #readSession(data: Data): Promise<MerchantSession> {
    if (typeof data.svc_session !== 'string') {
      throw new Error('this payment was not begun with Svc; choose the payment method again');
    }
    return this.#at.svc.checkoutSessions.retrieve(data.svc_session);
  }

  async #standingOf(session: MerchantSession, data: Data): Promise<Standing> {
    const { status, paymentId } = session;
    const told = (word: Status, more: Data = {}): Standing => ({
      status: word,
      data: { ...data, ...more },
    });
    if (status === 'requires_action') return told('requires_more');
    if (status === 'expired' || status === 'canceled') return told('canceled');
    if ((status !== 'authorized' && status !== 'completed') || !paymentId) return told('pending');
    const payment = await this.#read(paymentId);
    return told(wordOf(payment), { svc_payment: paymentId, svc_status: payment.status });
  }

  /** Compares what was paid with what Medusa asked for, and with what the order comes to now; else it is undone. */
  async #compare(standing: Standing): Promise<Standing> {
    const { data } = standing;
    const payment = await this.#read(paymentOf(data));
    const order = await readOrder(this.#cradle, String(data.session_id));
    const asked = moneyOf(Number(data.svc_amount), 0, String(data.svc_currency));
    const total = order ? medusaMoney(order.total, asked.currency) : asked;
    if (covers(payment, asked) && covers(payment, total)) return standing;
    const { amount, currency } = payment;
    const moved = await this.#at.payments.undo(payment);
    const end = isOwed(moved)
      ? `it is not given back yet: ${whyNot(moved)}`
      : 'it was given back, and the buyer is to pay again';
    this.#cradle.logger?.error(
      `@svc/medusa: ${amount} ${currency} was paid, the order comes to ${total.amount} ${total.currency}; ${end} (payment ${payment.id})`,
    );
    return { status: 'canceled', data };
  }

  /** For what storefronts call: addresses and credentials of Svc are no business of buyers. */
  #doForBuyer<T>(failing: string, work: () => Promise<T>): Promise<T> {
    return this.#do(failing, work, `${failing}. The log of the shop says why.`);
  }

  /**
   * Says in the log and to the caller in one sentence what went wrong and what to do. `instead`: what the caller is
   * told where only the shop can mend it.
   */
  async #do<T>(failing: string, work: () => Promise<T>, instead?: string): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const sentence = `${failing}: ${remedyOf(error)}`;
      this.#cradle.logger?.error(`@svc/medusa: ${sentence}`);
      const isForShop = error instanceof SvcError && !(error instanceof SvcCardError);
      const told = isForShop ? (instead ?? sentence) : sentence;
      throw new MedusaError(MedusaError.Types.NOT_ALLOWED, told);
    }
  }
}

function wordOf(payment: Payment): Status {
  if (isTaken(payment)) return payment.amountRefundable > 0 ? 'captured' : 'canceled';
  const words = { held: 'authorized', released: 'canceled', failed: 'canceled' } as const;
  const standing = standingOf(payment);
  return standing in words ? words[standing as keyof typeof words] : 'pending';
}

/** Why money has not moved as it was asked to. */
const whyNot = ({ message, standing }: Moved): string =>
  message || `the payment is ${standing} at Svc; look at it in the dashboard`;

function paymentOf(data: Data): string {
  if (typeof data.svc_payment === 'string') return data.svc_payment;
  throw new Error('Svc has no payment of this order yet; look at the order again in a minute');
}

/** A customer who has signed in is vouched for by Medusa's id; everybody else is a guest. */
function buyerOf(data: Data, context: Context | undefined) {
  const { customer } = context ?? {};
  // By it Svc chooses among accounts that are for some countries only.
  const country = typeof data.svc_country === 'string' ? { country: data.svc_country } : {};
  if (customer) return { userId: customer.id, email: customer.email, ...country };
  if (typeof data.svc_email === 'string') {
    return { guest: true as const, email: data.svc_email, ...country };
  }
  throw new Error(
    "no e-mail address reached the plugin; set the cart's email first, and name '@svc/medusa' among the plugins of medusa-config",
  );
}
