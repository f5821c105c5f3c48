// The merchant of a proof and its buyers, as clients that never give up: each repeats its request
// with the same key until it is told an end, through lost connections and restarts, and remembers
// every answer.

import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { ClientAnswer } from './audit.ts';
import type { Ground } from './ground.ts';
import type { Random } from './random.ts';

export type Answer = ClientAnswer & { readonly isReplayed: boolean };

/** One logical request of a client, with its key. */
export type Move = {
  readonly kind: ClientAnswer['kind'];
  readonly key: string;
  readonly paymentId: string | null;
  /** When its end was heard; null while it goes on. */
  endedAt: number | null;
  /** Sends that got no answer. */
  lost: number;
  readonly send: (signal: AbortSignal) => Promise<Response>;
};

export type Manner = {
  readonly callers?: number;
  /** Others now and then ask again while their first request still runs. */
  readonly isPatient?: boolean;
};

export type Session = { readonly id: string; readonly nonce: string; readonly mountToken: string };

const email = 'ada@example.com';
const patienceMs = 20_000;

export class Shop {
  readonly answers: Answer[] = [];
  readonly moves: Move[] = [];
  readonly #ground: Ground;
  readonly #random: Random;
  readonly #running = new Set<Promise<void>>();
  #isClosed = false;

  constructor(ground: Ground, random: Random) {
    this.#ground = ground;
    this.#random = random;
  }

  /** A payment whose hold can be captured. The service must be running. */
  async hold(): Promise<string> {
    const { id, nonce, token } = await this.tokenised('manual');
    const answer = await (await this.#pay({ id, nonce, token })).json();
    const { paymentId, status } = answer as { paymentId: string; status: string };
    if (status !== 'authorized') throw new Error(`no hold: ${JSON.stringify(answer)}`);
    return paymentId;
  }

  /** A session with a card token, ready to be paid. */
  async tokenised(
    captureMethod: 'automatic' | 'manual',
    card: { number: string; cvc: string } = { number: '4242424242424242', cvc: '123' },
  ): Promise<Session & { token: string }> {
    const session = await this.#session(captureMethod);
    const { formOrigin } = this.#ground;
    const made = await fetch(`${formOrigin}/form/tokens`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: formOrigin },
      body: JSON.stringify({
        mountToken: session.mountToken,
        ...card,
        expiryMonth: 12,
        expiryYear: new Date().getFullYear() + 3,
      }),
    });
    const { token } = (await made.json()) as { token?: string };
    if (!token) throw new Error(`no card token: ${made.status}`);
    return { ...session, token };
  }

  async #session(captureMethod: string): Promise<Session> {
    const { apiUrl, merchant } = this.#ground;
    const made = await fetch(`${apiUrl}/v1/checkouts/sessions`, {
      method: 'POST',
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
      vault: { mountToken: string };
    };
    return { id, nonce, mountToken: vault.mountToken };
  }

  #pay(
    { id, nonce, token }: { id: string; nonce: string; token: string },
    signal: AbortSignal = AbortSignal.timeout(patienceMs),
  ): Promise<Response> {
    const { apiUrl, merchant } = this.#ground;
    return fetch(`${apiUrl}/v1/checkouts/sessions/${id}/process`, {
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
  }

  /** Pays a session with immediate capture, until told an end. */
  purchase(session: Session & { token: string }): Move {
    return this.#drive({
      kind: 'purchase',
      key: session.id,
      paymentId: null,
      send: (signal) => this.#pay(session, signal),
    });
  }

  /** Captures or cancels, until told an end; `callers` send the same at the same time. */
  move(kind: 'capture' | 'cancel', paymentId: string, manner: Manner = {}): Move {
    const { apiUrl, merchant } = this.#ground;
    const key = `${kind}-${randomUUID()}`;
    const basic = Buffer.from(`${merchant.clientId}:${merchant.apiToken}`).toString('base64');
    const send = (signal: AbortSignal) =>
      fetch(`${apiUrl}/v1/payments/${paymentId}/${kind}`, {
        method: 'PUT',
        signal,
        headers: {
          authorization: `Basic ${basic}`,
          'content-type': 'application/json',
          'idempotency-key': key,
        },
        body: '{}',
      });
    return this.#drive({ kind, key, paymentId, send }, manner);
  }

  #drive(
    request: Pick<Move, 'kind' | 'key' | 'paymentId' | 'send'>,
    { callers = 1, isPatient = false }: Manner = {},
  ): Move {
    const move: Move = { ...request, endedAt: null, lost: 0 };
    this.moves.push(move);
    for (let caller = 0; caller < callers; caller++) {
      const running = this.#untilEnd(move, isPatient).finally(() => this.#running.delete(running));
      this.#running.add(running);
    }
    return move;
  }

  async #untilEnd(move: Move, isPatient: boolean): Promise<void> {
    while (!this.#isClosed) {
      const isHasty = !isPatient && this.#random.chance(0.05);
      const patience = isHasty ? this.#random.whole(1, 60) : patienceMs;
      const answer = await this.once(move, AbortSignal.timeout(patience));
      if (answer && isEnd(answer)) {
        move.endedAt ??= performance.now();
        return;
      }
      await pause(this.#random.whole(20, 120));
    }
  }

  /** Sends the request once; undefined when no answer came. */
  async once(
    move: Move,
    signal: AbortSignal = AbortSignal.timeout(patienceMs),
  ): Promise<Answer | undefined> {
    let status: number;
    let body: string;
    let isReplayed: boolean;
    try {
      const response = await move.send(signal);
      body = await response.text();
      status = response.status;
      isReplayed = response.headers.get('idempotent-replayed') === 'true';
    } catch {
      move.lost += 1;
      return undefined;
    }
    const said = JSON.parse(body) as { code?: string; paymentId?: string };
    const { kind, key } = move;
    const paymentId = move.paymentId ?? said.paymentId ?? null;
    const code = said.code ?? null;
    const answer = { kind, key, paymentId, status, code, body, isReplayed };
    this.answers.push(answer);
    return answer;
  }

  /** Every request has heard its end, or time is over. */
  async rest(withinMs: number): Promise<void> {
    const over = pause(withinMs, undefined, { ref: false });
    await Promise.race([Promise.all([...this.#running]), over]);
  }

  /** Gives up what still runs. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled([...this.#running]);
  }
}

function isEnd({ status, code }: Answer): boolean {
  if (status === 200) return true;
  if (status === 202 || status >= 500) return false;
  return code !== 'payment_operation_in_progress' && code !== 'checkout_attempt_in_progress';
}
