// The payment provider that Medusa's payment module calls. It never calls an order paid that it has not read as paid.

import { AbstractPaymentProvider, MedusaError } from '@medusajs/framework/utils';
import { type CreateSessionParams, type Payment, SvcConflictError } from '@svc/server';
import { roundAmount } from './amounts.ts';
import { isCaptured, Ledger } from './ledger.ts';
import { checkOptions, openSvc, type SvcOptions } from './options.ts';
import { type Cradle, numberOf, readOrder, readRefunds } from './rows.ts';
import { type Kept, type MerchantSession, SavedCards } from './saved-cards.ts';
import { sentenceOf } from './sentences.ts';
import { readWebhook, type WebhookPayload, type WebhookResult } from './webhook.ts';

type Data = Record<string, unknown>;
type Context = { customer?: { id: string; email: string }; idempotency_key?: string };
type Input = { data?: Data; context?: Context };
type Money = Input & { amount: unknown; currency_code: string };
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
  readonly #ledger: Ledger;
  readonly #cards: SavedCards;

  constructor(cradle: Cradle, options: SvcOptions) {
    super(cradle, options);
    checkOptions(options);
    this.#cradle = cradle;
    this.#options = options;
    this.#ledger = new Ledger(openSvc(options));
    this.#cards = new SavedCards(this.#ledger.svc);
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
  }: Money): Promise<Kept & Standing> {
    return this.#do('The payment cannot begin', async () => {
      if (!currency_code) throw new Error('the order has no currency; set it on its region');
      const currency = currency_code.toUpperCase();
      const total = roundAmount(numberOf(amount), currency);
      const session = String(data.session_id);
      const { successUrl, cancelUrl, capture } = this.#options;
      const made = await this.#open(
        {
          currency,
          products: [this.#lineOf(total)],
          account: buyerOf(data, context),
          reference: String(data.svc_reference ?? session),
          replaces: true,
          couponsAccepted: false,
          captureMethod: capture ? 'automatic' : 'manual',
          metadata: { medusa_session: session },
          ...(successUrl ? { successUrl } : {}),
          ...(cancelUrl ? { cancelUrl } : {}),
        },
        `medusa-session-${session}`,
      );
      if (!('redirectUrl' in made))
        throw new Error('nothing is due; complete the cart without a payment');
      return {
        id: made.sessionId,
        status: 'pending' as const,
        // Everything that a storefront sent under these names is replaced.
        data: {
          session_id: session,
          svc_session: made.sessionId,
          svc_nonce: made.nonce,
          svc_url: made.redirectUrl,
          svc_payment: null,
          svc_amount: total,
          svc_currency: currency,
        },
      };
    });
  }

  /** The total changed: the open session follows, and the buyer's page with it. */
  async updatePayment({ amount, currency_code, data = {} }: Money): Promise<Output> {
    return this.#do("The payment cannot follow the order's total", async () => {
      const currency = currency_code.toUpperCase();
      const total = roundAmount(numberOf(amount), currency);
      if (total === data.svc_amount && currency === data.svc_currency) return { data };
      if (currency !== data.svc_currency)
        throw new Error('the currency changed; choose the payment again');
      await this.#ledger.svc.checkoutSessions.update(String(data.svc_session), {
        products: [this.#lineOf(total)],
      });
      return { data: { ...data, svc_amount: total } };
    });
  }

  async authorizePayment({ data = {} }: Input): Promise<Standing> {
    return this.#do('The payment could not be confirmed', async () => {
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

  /** Svc captures a hold once and whole; `capture-whole.ts` refuses parts where Medusa still knows the amount. */
  async capturePayment({ data = {} }: Input): Promise<Output> {
    return this.#do('The payment was not captured', async () => {
      const { status } = await this.#ledger.capture(paymentOf(data));
      return { data: { ...data, svc_status: status } };
    });
  }

  async refundPayment({
    data = {},
    amount,
    context,
  }: Omit<Money, 'currency_code'>): Promise<Output> {
    return this.#do('Nothing was refunded by this press', async () => {
      const seen = await this.#ledger.read(paymentOf(data));
      const wanted = roundAmount(numberOf(amount), seen.currency);
      const id = context?.idempotency_key ?? '';
      const books = await readRefunds(this.#cradle, id, seen.currency);
      // An earlier press lost its answer, and Medusa forgot it: its refund is the one that is meant.
      const unbooked = books && roundAmount(seen.amountRefunded - books.before, seen.currency);
      const isGivenBack = unbooked === wanted;
      const after = isGivenBack ? seen : await this.#ledger.refund(seen, wanted);
      if (books !== undefined && books.after > after.amountRefunded) {
        throw new Error('another press made this refund already; look at the order again');
      }
      return { data: { ...data, svc_status: after.status } };
    });
  }

  async cancelPayment({ data = {} }: Input): Promise<Output> {
    return this.#do('The payment was not cancelled', async () => {
      const session = await this.#readSession(data);
      if (session.paymentId && ['authorized', 'completed'].includes(session.status)) {
        await this.#ledger.undo(session.paymentId);
      } else if (!['expired', 'canceled'].includes(session.status)) {
        await this.#ledger.svc.checkoutSessions.expire(session.id);
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
    const { webhookSecret } = this.#options;
    return this.#do('A webhook was refused', () =>
      readWebhook(payload, { ledger: this.#ledger, secret: webhookSecret }),
    );
  }

  /** What was held for an order that was never placed is released first: its buyer has begun again. */
  async #open(wanted: CreateSessionParams, idempotencyKey: string) {
    const { sessions } = this.#ledger.svc.checkout;
    try {
      return await sessions.create(wanted, { idempotencyKey });
    } catch (error) {
      const paid = paymentNamedBy(error);
      if (!paid) throw error;
      const payment = await this.#ledger.read(paid);
      await this.#refusePlaced(payment.metadata.medusa_session);
      await this.#ledger.undo(paid);
      return sessions.create(wanted, { idempotencyKey: `${idempotencyKey}-again` });
    }
  }

  /** Medusa's storefront may begin a payment, or let one go, whose order is placed long since: in another tab. */
  async #refusePlaced(session: unknown): Promise<void> {
    const order = typeof session === 'string' ? await readOrder(this.#cradle, session) : undefined;
    if (order?.isPlaced)
      throw new Error('the order is placed; its payment is cancelled or refunded in the admin');
  }

  #lineOf(total: number) {
    return { name: this.#options.lineName ?? 'Your order', quantity: 1, amount: total };
  }

  #readSession(data: Data): Promise<MerchantSession> {
    if (typeof data.svc_session !== 'string') {
      throw new Error('this payment was not begun with Svc; choose the payment method again');
    }
    return this.#ledger.svc.checkoutSessions.retrieve(data.svc_session);
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
    const payment = await this.#ledger.read(paymentId);
    return told(wordOf(payment), { svc_payment: paymentId, svc_status: payment.status });
  }

  /** Compares what was paid with what Medusa asked for, and with what the order comes to now; else it is undone. */
  async #compare(standing: Standing): Promise<Standing> {
    const { data } = standing;
    const payment = await this.#ledger.read(paymentOf(data));
    const total = (await readOrder(this.#cradle, String(data.session_id)))?.total;
    const isAsked = payment.amount === data.svc_amount && payment.currency === data.svc_currency;
    const isTotal = total === undefined || roundAmount(total, payment.currency) === payment.amount;
    if (isAsked && isTotal) return standing;
    await this.#ledger.undo(payment.id);
    this.#cradle.logger?.error(
      `@svc/medusa: ${payment.amount} ${payment.currency} was paid, the order comes to ${total ?? data.svc_amount}; it was given back, and the buyer is to pay again (payment ${payment.id})`,
    );
    return { status: 'canceled', data };
  }

  /** Says in the log and to the admin in one sentence what went wrong and what to do. */
  async #do<T>(failing: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const sentence = sentenceOf(failing, error);
      this.#cradle.logger?.error(`@svc/medusa: ${sentence}`);
      throw new MedusaError(MedusaError.Types.NOT_ALLOWED, sentence);
    }
  }
}

function wordOf(payment: Payment): Status {
  if (payment.status === 'authorized') return 'authorized';
  if (isCaptured(payment)) return payment.amountRefundable > 0 ? 'captured' : 'canceled';
  return ['voided', 'failed'].includes(payment.status) ? 'canceled' : 'pending';
}

function paymentOf(data: Data): string {
  if (typeof data.svc_payment === 'string') return data.svc_payment;
  throw new Error('Svc has no payment of this order yet; look at the order again in a minute');
}

/** The payment that keeps a reference from a second session. */
function paymentNamedBy(error: unknown): string | undefined {
  if (!(error instanceof SvcConflictError)) return undefined;
  const { errors = [] } = error.raw as { errors?: { code?: string; id?: string }[] };
  return errors.find(({ code }) => code === 'payment')?.id;
}

/** A customer who has signed in is vouched for by Medusa's id; everybody else is a guest. */
function buyerOf(data: Data, context: Context | undefined) {
  const { customer } = context ?? {};
  if (customer) return { userId: customer.id, email: customer.email };
  if (typeof data.svc_email === 'string') return { guest: true as const, email: data.svc_email };
  throw new Error("the cart has no e-mail address; set the cart's email before the payment begins");
}
