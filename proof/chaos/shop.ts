// The merchant of a proof and its buyers: clients that repeat each request with the same key until
// they get a final response, through lost connections and restarts, at any process of the service.
// They record every response.

import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from '../kit/random.ts';
import type { ClientAnswer } from './audit.ts';
import type { Fixture } from './fixture.ts';
import type { Slot } from './slots.ts';

export type ReplayableAnswer = ClientAnswer & {
  readonly isReplayed: boolean;
  readonly retryAfter: string | null;
};

/**
 * A request as its sender saw it. `status` is null when no response came. Times are of the wall
 * clock.
 */
export type SeenRequest = {
  readonly move: Move;
  readonly slot: Slot;
  readonly calledAt: number;
  readonly answeredAt: number | null;
  /** True when the client stopped waiting. */
  readonly isGivenUp: boolean;
  readonly isReplayed: boolean;
  readonly status: number | null;
  readonly code: string | null;
  /** The payment status in a successful response. */
  readonly shown: string | null;
};

/** One logical request of a client, with its key. */
export type Move = {
  readonly kind: ClientAnswer['kind'];
  readonly key: string;
  readonly amount: number | null;
  /** Null for a purchase until it has a response. */
  paymentId: string | null;
  /** When the final response was received; null before. */
  endedAt: number | null;
  /** The final response; undefined when the shop was closed before. */
  readonly ended: Promise<ReplayableAnswer | undefined>;
  /** The different responses, each once. */
  readonly answers: ReplayableAnswer[];
  /** The number of sends without a response. */
  lost: number;
  readonly send: (slot: Slot, signal: AbortSignal) => Promise<Response>;
};

type SendOptions = {
  readonly callers?: number;
  /** A patient client waits for its first request; others sometimes repeat it meanwhile. */
  readonly isPatient?: boolean;
  /** The process that the first request is sent to; any by default. */
  readonly at?: Slot;
  /** The idempotency key (a new one by default) and the body (none by default). */
  readonly key?: string;
  readonly body?: string;
};

export type Session = {
  readonly id: string;
  readonly nonce: string;
  readonly mountToken: string;
  /** The signature of the pages that may embed the session's form. */
  readonly parents: string;
};

type Card = { readonly number: string; readonly cvc: string };
const approved: Card = { number: '4242424242424242', cvc: '123' };

const email = 'ada@example.com';
const patienceMs = 20_000;

/** A request in transit, and the process that it was sent to. */
export type Send = { readonly move: Move; readonly slot: Slot; readonly calledAt: number };

export class Shop {
  readonly moves: Move[] = [];
  readonly calls: SeenRequest[] = [];
  readonly sending = new Set<Send>();
  /** A process that gets no requests except those that name it. */
  reserved: Slot | null = null;
  replays = 0;
  readonly #fixture: Fixture;
  readonly #random: Random;
  readonly #running = new Set<Promise<void>>();
  #isClosed = false;

  constructor(fixture: Fixture, random: Random) {
    this.#fixture = fixture;
    this.#random = random;
  }

  get answers(): ReplayableAnswer[] {
    return this.moves.flatMap(({ answers }) => answers);
  }

  /** Creates a payment whose hold can be captured. */
  async hold(): Promise<string> {
    for (let attempt = 1; ; attempt++) {
      const session = await this.tokenised('manual');
      const answer = await this.purchase(session, { isPatient: true }).ended;
      if (answer?.status === 200 && answer.paymentId) return answer.paymentId;
      // A fault of the provider refused the payment.
      if (!answer || attempt === 20) throw new Error(`no hold: ${answer?.body}`);
    }
  }

  /** Creates a session with a card token, ready to be paid; tries again until one is complete. */
  async tokenised(
    captureMethod: 'automatic' | 'manual',
    card: Card = approved,
  ): Promise<Session & { token: string }> {
    for (let attempt = 1; ; attempt++) {
      try {
        const session = await this.#session(captureMethod);
        return { ...session, token: await this.cardToken(session, card) };
      } catch (error) {
        // A process or the database is down; a half-made session has no effect.
        if (this.#isClosed || attempt === 200) throw error;
        await pause(this.#random.whole(20, 80));
      }
    }
  }

  /** Returns a card token, as the card form returns it to the page. */
  async cardToken(session: Session, card: Card = approved): Promise<string> {
    const { formOrigin } = this.#fixture;
    const made = await fetch(`${formOrigin}/form/tokens`, {
      method: 'POST',
      signal: AbortSignal.timeout(patienceMs),
      headers: { 'content-type': 'application/json', origin: formOrigin },
      body: JSON.stringify({
        mountToken: session.mountToken,
        parents: session.parents,
        ...card,
        expiryMonth: 12,
        expiryYear: new Date().getFullYear() + 3,
      }),
    });
    const said = await made.text();
    const { token } = readBody(said);
    if (!token) throw new Error(`no card token: ${made.status} ${said}`);
    return token;
  }

  async #session(captureMethod: string): Promise<Session> {
    const { merchant } = this.#fixture;
    const made = await fetch(`${this.#anySlot().url}/v1/checkouts/sessions`, {
      method: 'POST',
      signal: AbortSignal.timeout(patienceMs),
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        clientId: merchant.clientId,
        captureMethod,
        currency: 'EUR',
        products: [{ code: merchant.productCode, quantity: 1 }],
        accountData: { userId: merchant.userId, email },
      }),
    });
    const text = await made.text();
    if (made.status !== 201) throw new Error(`no session: ${made.status} ${text}`);
    const { id, nonce, vault } = JSON.parse(text) as {
      id: string;
      nonce: string;
      vault: { mountToken: string; formUrl: string };
    };
    const parents = new URL(vault.formUrl).searchParams.get('parents')?.split('.')[1] ?? '';
    return { id, nonce, mountToken: vault.mountToken, parents };
  }

  /** Pays a session; repeats until the response is final. */
  purchase({ id, nonce, token }: Session & { token: string }, manner: SendOptions = {}): Move {
    const { merchant } = this.#fixture;
    const send = (slot: Slot, signal: AbortSignal) =>
      fetch(`${slot.url}/v1/checkouts/sessions/${id}/process`, {
        method: 'POST',
        signal,
        headers: {
          'content-type': 'application/json',
          'x-checkout-session-token': nonce,
          'x-user-id': merchant.userId,
        },
        body: JSON.stringify({
          sessionId: id,
          tokenizedData: { provider: 'cardprovider', type: 'card', token },
          accountData: { userId: merchant.userId, email },
        }),
      });
    return this.#drive({ kind: 'purchase', key: id, amount: null, paymentId: null, send }, manner);
  }

  /**
   * Captures or cancels; repeats until the response is final. `callers` clients send the same
   * request at once.
   */
  move(kind: 'capture' | 'cancel', paymentId: string, manner: SendOptions = {}): Move {
    const { key = `${kind}-${randomUUID()}`, body = '{}' } = manner;
    const send = (slot: Slot, signal: AbortSignal) =>
      this.call(slot, `PUT /v1/payments/${paymentId}/${kind}`, { key, body, signal });
    return this.#drive({ kind, key, amount: null, paymentId, send }, manner);
  }

  /** Refunds this amount; repeats until the response is final. */
  refund(paymentId: string, amount: number, manner: SendOptions = {}): Move {
    const key = `refund-${randomUUID()}`;
    const body = JSON.stringify({ amount });
    const send = (slot: Slot, signal: AbortSignal) =>
      this.call(slot, `POST /v1/payments/${paymentId}/refunds`, { key, body, signal });
    return this.#drive({ kind: 'refund', key, amount, paymentId, send }, manner);
  }

  /** Sends one request with the merchant's credential. */
  call(
    slot: Slot,
    call: `${'PUT' | 'POST'} ${string}`,
    { key, body, signal }: { key: string; body: string; signal: AbortSignal },
  ): Promise<Response> {
    const { clientId, apiToken } = this.#fixture.merchant;
    const basic = Buffer.from(`${clientId}:${apiToken}`).toString('base64');
    const [method = '', path = ''] = call.split(' ');
    return fetch(`${slot.url}${path}`, {
      method,
      signal,
      headers: {
        authorization: `Basic ${basic}`,
        'content-type': 'application/json',
        'idempotency-key': key,
      },
      body,
    });
  }

  #drive(
    request: Pick<Move, 'kind' | 'key' | 'amount' | 'paymentId' | 'send'>,
    { callers = 1, isPatient = false, at }: SendOptions = {},
  ): Move {
    const { promise, resolve } = Promise.withResolvers<ReplayableAnswer | undefined>();
    const move: Move = { ...request, endedAt: null, ended: promise, answers: [], lost: 0 };
    this.moves.push(move);
    const asked = Array.from({ length: callers }, () => {
      const running = this.#untilEnd(move, isPatient, at)
        .then(resolve)
        .finally(() => this.#running.delete(running));
      this.#running.add(running);
      return running;
    });
    void Promise.all(asked);
    return move;
  }

  async #untilEnd(
    move: Move,
    isPatient: boolean,
    at?: Slot,
  ): Promise<ReplayableAnswer | undefined> {
    for (let first = at; !this.#isClosed; first = undefined) {
      const isHasty = !isPatient && this.#random.chance(0.05);
      const patience = isHasty ? this.#random.whole(1, 60) : patienceMs;
      const slot = first ?? this.#anySlot();
      const answer = await this.once(move, { slot, signal: AbortSignal.timeout(patience) });
      if (answer && isEnd(answer)) {
        move.endedAt ??= performance.now();
        return answer;
      }
      await pause(this.#random.whole(10, 100));
    }
    return undefined;
  }

  #anySlot(): Slot {
    const { slots } = this.#fixture;
    const up = slots.filter((slot) => slot.isUp() && slot !== this.reserved);
    // Sometimes picks a process that may be down, because a client does not know that.
    return this.#random.pick(up.length > 0 && !this.#random.chance(0.02) ? up : slots);
  }

  /** Sends the request once; returns undefined when no response came. */
  async once(
    move: Move,
    {
      slot = this.#anySlot(),
      signal = AbortSignal.timeout(patienceMs),
    }: { slot?: Slot; signal?: AbortSignal } = {},
  ): Promise<ReplayableAnswer | undefined> {
    const calledAt = Date.now();
    const sending = { move, slot, calledAt };
    this.sending.add(sending);
    const recordCall = (answer: ReplayableAnswer | null) =>
      this.calls.push({
        ...sending,
        answeredAt: answer && Date.now(),
        isGivenUp: !answer && signal.aborted,
        isReplayed: answer?.isReplayed === true,
        status: answer?.status ?? null,
        code: answer?.code ?? null,
        shown: answer && answer.status < 300 ? (readBody(answer.body).status ?? null) : null,
      });
    try {
      const response = await move.send(slot, signal);
      const answer = readAnswer(move, response, await response.text());
      recordCall(answer);
      move.paymentId ??= answer.paymentId;
      if (answer.isReplayed) this.replays += 1;
      if (!move.answers.some((known) => isSameAnswer(known, answer))) move.answers.push(answer);
      return answer;
    } catch {
      recordCall(null);
      move.lost += 1;
      return undefined;
    } finally {
      this.sending.delete(sending);
    }
  }

  /** Removes a request from those that are checked at the end. */
  forget(move: Move): void {
    this.moves.splice(this.moves.indexOf(move), 1);
  }

  /** Waits until every request has a final response, or the time is over. */
  async rest(withinMs: number): Promise<void> {
    const over = pause(withinMs, undefined, { ref: false });
    await Promise.race([Promise.all([...this.#running]), over]);
  }

  /** Aborts the requests that are still running. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled([...this.#running]);
  }
}

function readAnswer(
  { kind, key, paymentId }: Move,
  response: Response,
  body: string,
): ReplayableAnswer {
  const { status, headers } = response;
  const said = readBody(body);
  const code = status < 400 ? null : (said.code ?? 'an answer without a code');
  return {
    kind,
    key,
    paymentId: paymentId ?? said.paymentId ?? null,
    status,
    code,
    body,
    isReplayed: headers.get('idempotent-replayed') === 'true',
    retryAfter: headers.get('retry-after'),
  };
}

type AnswerFields = Readonly<Partial<Record<'code' | 'paymentId' | 'token' | 'status', string>>>;

function readBody(body: string): AnswerFields {
  try {
    return JSON.parse(body) as AnswerFields;
  } catch {
    return {};
  }
}

/** Compares without the request id, which differs each time. */
const isSameAnswer = (one: ReplayableAnswer, other: ReplayableAnswer): boolean =>
  one.status === other.status &&
  one.code === other.code &&
  one.isReplayed === other.isReplayed &&
  (one.status >= 400 || one.body === other.body);

function isEnd({ status, code, kind }: ReplayableAnswer): boolean {
  if (status === 200 || status === 201) return true;
  // The attempt is over and nothing was charged, so this is final for a purchase; a capture is
  // repeated.
  if (kind === 'purchase' && code === 'gateway_unavailable') return true;
  if (status === 202 || status >= 500) return false;
  return code !== 'payment_operation_in_progress' && code !== 'checkout_attempt_in_progress';
}
