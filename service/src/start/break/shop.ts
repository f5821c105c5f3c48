// The shop of a break and its buyers. Each press is sent again, with the same key, until its answer is final; what the
// shop was told is all that it knows of an order.

import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import {
  buyerOf,
  type Call,
  credentialOf,
  type Shop as Place,
  payCall,
  type Session,
  sessionCall,
  tokenise,
} from '../stage/checkout.ts';
import type { Order } from './judge.ts';
import type { Random } from './random.ts';

export type Press = 'session' | 'card form' | 'payment' | 'capture' | 'refund';
type Answer = { readonly status: number; readonly text: string; readonly body: Said };
type Said = {
  readonly code?: string;
  readonly type?: string;
  readonly status?: string;
  readonly paymentId?: string;
};

export type OwnOrder = Order & {
  readonly sessions: Set<string>;
  readonly problems: string[];
  capturedMinor: number;
  refundedMinor: number;
};

/** How the wire and people misbehave; absent, they do not. */
export type Manner = {
  /** How likely an answer is lost on its way to the shop. */
  readonly cuts?: number;
  /** How often each button is pressed at the same moment. */
  readonly presses?: number;
};

/** Of the demo product, in minor units. */
const prices: Readonly<Record<string, number>> = { EUR: 1490, USD: 1690 };
const patienceMs = 20_000;
/** A press without a final answer after that time is a finding. */
const givenUpMs = 60_000;
const mostCuts = 3;
const isUnderWay = /^(payment_operation_in_progress|checkout_attempt_in_progress)$/;

const isFinal = ({ status, body }: Answer): boolean =>
  status !== 202 && status < 500 && status !== 429 && !isUnderWay.test(body.code ?? '');

class LineCut extends Error {}

export class BrokenShop {
  readonly orders: OwnOrder[] = [];
  /** How many presses of each kind are under way. */
  readonly open: Record<Press, number> = {
    ...{ session: 0, 'card form': 0, payment: 0, capture: 0, refund: 0 },
  };
  /** How many have begun since the start. */
  readonly begun: Record<Press, number> = { ...this.open };
  cut = 0;
  readonly #place: Place;
  readonly #random: Random;
  readonly #signal: AbortSignal;

  constructor(place: Place, random: Random, signal: AbortSignal) {
    this.#place = place;
    this.#random = random;
    this.#signal = signal;
  }

  /** Buys in so many lanes until the time is over; resolves when every press has its answer. */
  async trade(lanes: number, until: () => boolean, manner: Manner = {}): Promise<void> {
    const lane = async () => {
      do {
        await this.buy(manner);
        await pause(this.#random.whole(5, 60));
      } while (!until() && !this.#signal.aborted);
    };
    await Promise.all(Array.from({ length: lanes }, lane));
  }

  newOrder(): OwnOrder {
    const order = {
      ...{ reference: randomUUID(), currency: this.#random.pick(['EUR', 'EUR', 'USD']) },
      ...{ sessions: new Set<string>(), problems: [], capturedMinor: 0, refundedMinor: 0 },
    };
    this.orders.push(order);
    return order;
  }

  /** One order from its session to its end: held and captured, or paid at once; sometimes given back. */
  async buy(manner: Manner): Promise<void> {
    const order = this.newOrder();
    const captureMethod = this.#random.chance(0.3) ? 'automatic' : 'manual';
    const session = await this.openSession(order, { captureMethod }, manner);
    const paymentId = session && (await this.pay(order, session, { ...manner, captureMethod }));
    if (!paymentId) return;
    if (captureMethod === 'manual') await this.#capture(order, paymentId, manner);
    if (order.capturedMinor > 0 && this.#random.chance(0.5)) {
      await this.#refund(order, paymentId, manner);
    }
  }

  /** Returns undefined where the service refused it. `more` is part of the session. */
  async openSession(
    order: OwnOrder,
    more: Readonly<Record<string, unknown>>,
    { cuts, key = order.reference, mayRefuse }: Manner & { key?: string; mayRefuse?: RegExp } = {},
  ): Promise<Session | undefined> {
    const { reference, currency } = order;
    const body = sessionCall(this.#place, buyerOf(reference), { currency, reference, ...more });
    const headers = { ...credentialOf(this.#place), 'idempotency-key': `session-${key}` };
    const url = `${this.#place.apiUrl}/v1/checkouts/sessions`;
    const answer = await this.#ask('session', { url, headers, body }, cuts);
    if (answer.status === 201) {
      const session = answer.body as Session;
      order.sessions.add(session.id);
      return session;
    }
    if (!mayRefuse?.test(answer.body.code ?? '')) noteRefusal(order, 'session', answer);
    return undefined;
  }

  /** Returns the payment; undefined where it was refused. */
  async pay(
    order: OwnOrder,
    session: Session,
    manner: Manner & { readonly captureMethod: string; readonly mayRefuse?: RegExp },
  ): Promise<string | undefined> {
    const buyer = buyerOf(order.reference);
    const token = await tokenise(session, async <T>(url: string, call: Call) => {
      const answer = await this.#ask('card form', { url, ...call }, 0);
      if (answer.status >= 300) noteRefusal(order, 'card form', answer);
      return answer.body as T;
    });
    const url = `${this.#place.apiUrl}/v1/checkouts/sessions/${session.id}/process`;
    const call = { url, ...payCall(session, buyer, token) };
    const answers = await this.#pressAll('payment', call, manner);
    const [paid] = answers.filter(({ body }) => body.type === 'success');
    for (const answer of answers) {
      const isAllowed = manner.mayRefuse?.test(answer.body.code ?? '') === true;
      if (answer.body.type !== 'success' && !isAllowed) noteRefusal(order, 'payment', answer);
    }
    if (!paid?.body.paymentId) return undefined;
    if (manner.captureMethod === 'automatic') order.capturedMinor += priceOf(order);
    return paid.body.paymentId;
  }

  async #capture(order: OwnOrder, paymentId: string, manner: Manner): Promise<void> {
    const url = `${this.#place.apiUrl}/v1/payments/${paymentId}/capture`;
    const call = { url, method: 'PUT', headers: this.#keyed(`capture-${paymentId}`), body: {} };
    const others = this.#rivals(manner, { ...call, headers: this.#keyed(`again-${paymentId}`) });
    const [own, rival] = await Promise.all([this.#pressAll('capture', call, manner), others]);
    expectSame(order, 'capture', own);
    const done = [own[0], ...rival].filter((answer) => answer?.status === 200);
    if (done.length > 0) order.capturedMinor += priceOf(order);
    if (done.length > 1) order.problems.push('two keys were told that they captured it');
    for (const answer of [...own, ...rival]) {
      const isAllowed = rival.length > 0 && answer.body.code === 'payment_not_authorized';
      if (answer.status !== 200 && !isAllowed) noteRefusal(order, 'capture', answer);
    }
  }

  /** Gives all of it back, or a part; with a rival press both ask for all of it, and one may get it. */
  async #refund(order: OwnOrder, paymentId: string, manner: Manner): Promise<void> {
    const isAll = (manner.presses ?? 1) > 1 || this.#random.chance(0.5);
    const minor = isAll ? priceOf(order) : this.#random.whole(1, priceOf(order));
    const url = `${this.#place.apiUrl}/v1/payments/${paymentId}/refunds`;
    const call = {
      url,
      headers: this.#keyed(`refund-${paymentId}`),
      body: { amount: minor / 100 },
    };
    const others = this.#rivals(manner, { ...call, headers: this.#keyed(`again-${paymentId}`) });
    const [own, rival] = await Promise.all([this.#pressAll('refund', call, manner), others]);
    expectSame(order, 'refund', own);
    const given = [own[0], ...rival].filter((answer) => answer?.status === 201);
    order.refundedMinor += given.length * minor;
    for (const answer of [...own, ...rival]) {
      const isAllowed = rival.length > 0 && answer.status === 422;
      if (answer.status !== 201 && !isAllowed) noteRefusal(order, 'refund', answer);
    }
  }

  #keyed = (key: string) => ({ ...credentialOf(this.#place), 'idempotency-key': key });

  /** A press with a key of its own, as of a second person, where people press more than once. */
  async #rivals(manner: Manner, call: Call & { url: string }): Promise<Answer[]> {
    if ((manner.presses ?? 1) < 2 || this.#random.chance(0.5)) return [];
    return [await this.#ask(call.method === 'PUT' ? 'capture' : 'refund', call, manner.cuts)];
  }

  #pressAll(kind: Press, call: Call & { url: string }, { presses = 1, cuts }: Manner) {
    return Promise.all(Array.from({ length: presses }, () => this.#ask(kind, call, cuts)));
  }

  /** Sends it until the answer is final. After the longest patience the answer has the status 0. */
  async #ask(kind: Press, call: Call & { url: string }, cuts = 0): Promise<Answer> {
    const deadline = performance.now() + givenUpMs;
    let last = { status: 0, text: '', body: { code: 'no_answer' } };
    this.open[kind] += 1;
    this.begun[kind] += 1;
    try {
      for (let lost = 0; performance.now() < deadline; ) {
        const isCut = lost < mostCuts && this.#random.chance(cuts);
        try {
          const { waitMs, ...answer } = await this.#send(call, isCut);
          if (isFinal(answer)) return answer;
          last = { ...answer, status: 0, body: { code: answer.body.code ?? 'no_answer' } };
          await pause(waitMs, undefined, { signal: this.#signal });
        } catch (error) {
          this.#signal.throwIfAborted();
          if (error instanceof LineCut) lost += 1;
          await pause(this.#random.whole(50, 300), undefined, { signal: this.#signal });
        }
      }
      return last;
    } finally {
      this.open[kind] -= 1;
    }
  }

  /** Sends it once. A cut line is closed before the answer, or with its first byte. */
  async #send({ url, method = 'POST', headers, body }: Call & { url: string }, isCut: boolean) {
    const line = new AbortController();
    const withinMs = isCut ? this.#random.whole(1, 120) : patienceMs;
    const timer = setTimeout(() => line.abort(), withinMs);
    try {
      const response = await fetch(url, {
        ...{ method, body: JSON.stringify(body) },
        headers: { 'content-type': 'application/json', ...headers },
        signal: AbortSignal.any([line.signal, this.#signal]),
      });
      if (isCut) line.abort();
      const text = await response.text();
      const waitMs = 1000 * Math.min(5, Number(response.headers.get('retry-after') ?? 0.2));
      return { status: response.status, text, body: JSON.parse(text) as Said, waitMs };
    } catch (error) {
      if (!isCut || !line.signal.aborted) throw error;
      this.cut += 1;
      throw new LineCut();
    } finally {
      clearTimeout(timer);
    }
  }
}

const priceOf = ({ currency }: Order): number => prices[currency] ?? 0;

/** What no shop should be told is wrong with the order. */
const noteRefusal = ({ problems }: OwnOrder, press: Press, { status, body, text }: Answer): void =>
  void problems.push(
    status === 0
      ? `${press}: no final answer in ${givenUpMs / 1000} s, last ${body.code}`
      : `${press} answered ${status} ${body.code ?? body.type ?? text.slice(0, 80)}`,
  );

/** Every press with one key gets one answer, byte for byte. */
function expectSame({ problems }: OwnOrder, press: Press, answers: readonly Answer[]): void {
  const different = new Set(answers.map(({ status, text }) => `${status} ${text}`));
  if (answers[0]?.status !== 0 && different.size > 1 && answers[0] && answers[0].status < 300)
    problems.push(`${press}: ${different.size} different answers to one key`);
}
