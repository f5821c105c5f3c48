// Buyers and their merchant as good clients: each request is repeated with the same key, at the next address,
// after what `Retry-After` says, until its answer is final. Every answer is recorded.

import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Fixture } from '../chaos/fixture.ts';

export type Kind = 'session' | 'card' | 'process' | 'capture' | 'refund';
export type Answer = {
  readonly at: number;
  readonly status: number;
  readonly code: string | null;
};
export type Asked = {
  readonly kind: Kind;
  readonly key: string;
  readonly at: number;
  readonly answers: Answer[];
  /** How often there was no answer, or one of the proxy in front. */
  unanswered: number;
  paymentId: string | null;
  /** The status that ended it; null while it is open. */
  final: number | null;
  endedAt: number;
};

type Body = Record<string, unknown>;
type Call = {
  readonly kind: Kind;
  readonly key: string;
  readonly path: string;
  readonly method?: 'POST' | 'PUT';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: object;
  readonly paymentId?: string;
  /** The card form has an address of its own. */
  readonly at?: string;
};

const patienceMs = 20_000;
const refundAmount = 5;
const inProgress = /^(payment_operation_in_progress|checkout_attempt_in_progress)$/;

const isFinal = ({ status, code }: Answer): boolean =>
  status !== 202 && status < 500 && status !== 429 && !inProgress.test(code ?? '');

export class Buyers {
  readonly asked: Asked[] = [];
  readonly #fixture: Fixture;
  readonly #addresses: readonly string[];
  readonly #ended: Promise<unknown>;
  #isOver = false;
  #isGivenUp = false;
  #turn = 0;

  constructor(fixture: Fixture, addresses: readonly string[], loops: number) {
    this.#fixture = fixture;
    this.#addresses = addresses;
    this.#ended = Promise.all(Array.from({ length: loops }, () => this.#buyAndBuy()));
  }

  /** No further purchases; resolves when all requests have ended or the time is over. */
  async stop(withinMs: number): Promise<void> {
    this.#isOver = true;
    await Promise.race([this.#ended, pause(withinMs, undefined, { ref: false })]);
    this.#isGivenUp = true;
    await this.#ended;
  }

  async #buyAndBuy(): Promise<void> {
    while (!this.#isOver) {
      const paymentId = await this.#pay();
      const captured = paymentId && (await this.#move('capture', paymentId));
      if (captured && Math.random() < 0.2) await this.#move('refund', paymentId);
      await pause(100 + Math.random() * 300);
    }
  }

  /** Returns the id of a payment whose money is held; undefined where a request was refused. */
  async #pay(): Promise<string | undefined> {
    const { merchant, formOrigin } = this.#fixture;
    const accountData = { userId: merchant.userId, email: 'ada@example.com' };
    const session = await this.#ask({
      ...{ kind: 'session', key: randomUUID(), path: '/v1/checkouts/sessions' },
      body: {
        ...{ clientId: merchant.clientId, captureMethod: 'manual', currency: 'EUR', accountData },
        products: [{ code: merchant.productCode, quantity: 1 }],
      },
    });
    if (!session) return undefined;
    const key = String(session.id);
    const { mountToken, formUrl } = session.vault as Record<string, string>;
    const card = await this.#ask({
      ...{ kind: 'card', key, at: formOrigin, path: '/form/tokens' },
      headers: { origin: formOrigin },
      body: {
        ...{ mountToken, number: '4242424242424242', cvc: '123', expiryMonth: 12 },
        expiryYear: new Date().getFullYear() + 3,
        parents: new URL(formUrl ?? '').searchParams.get('parents')?.split('.')[1] ?? '',
      },
    });
    if (!card) return undefined;
    const paid = await this.#ask({
      ...{ kind: 'process', key, path: `/v1/checkouts/sessions/${key}/process` },
      headers: {
        'x-checkout-session-token': String(session.nonce),
        'x-user-id': merchant.userId,
      },
      body: {
        ...{ sessionId: key, accountData },
        tokenizedData: { provider: 'cardprovider', type: 'card', token: card.token },
      },
    });
    return paid && String(paid.paymentId);
  }

  #move(kind: 'capture' | 'refund', paymentId: string): Promise<Body | undefined> {
    const { clientId, apiToken } = this.#fixture.merchant;
    const authorization = `Basic ${Buffer.from(`${clientId}:${apiToken}`).toString('base64')}`;
    const key = `${kind}-${paymentId}`;
    const call =
      kind === 'capture'
        ? { method: 'PUT' as const, path: 'capture', body: {} }
        : { method: 'POST' as const, path: 'refunds', body: { amount: refundAmount } };
    const headers = { authorization, 'idempotency-key': key };
    const path = `/v1/payments/${paymentId}/${call.path}`;
    return this.#ask({ ...call, kind, key, headers, path, paymentId });
  }

  async #ask(call: Call): Promise<Body | undefined> {
    const entry: Asked = {
      ...{ kind: call.kind, key: call.key, at: Date.now(), answers: [], unanswered: 0 },
      ...{ paymentId: call.paymentId ?? null, final: null, endedAt: 0 },
    };
    this.asked.push(entry);
    while (!this.#isGivenUp) {
      const answer = await this.#once(call, entry);
      if (!answer) continue;
      const { body, status } = answer;
      entry.final = status;
      entry.endedAt = Date.now();
      entry.paymentId ??= typeof body.paymentId === 'string' ? body.paymentId : null;
      return status < 300 ? body : undefined;
    }
    return undefined;
  }

  /** Sends the request once. Returns its answer if that is final; else waits until the next try. */
  async #once(call: Call, entry: Asked): Promise<{ body: Body; status: number } | undefined> {
    const base = call.at ?? this.#addresses[this.#turn++ % this.#addresses.length];
    try {
      const response = await fetch(`${base}${call.path}`, {
        method: call.method ?? 'POST',
        headers: { 'content-type': 'application/json', ...call.headers },
        body: JSON.stringify(call.body),
        signal: AbortSignal.timeout(patienceMs),
      });
      const body = JSON.parse(await response.text()) as Body;
      const { status } = response;
      const answer = { at: Date.now(), status, code: response.ok ? null : String(body.code) };
      entry.answers.push(answer);
      if (isFinal(answer)) return { body, status };
      await pause(1000 * Number(response.headers.get('retry-after') ?? 0.2));
    } catch {
      entry.unanswered += 1;
      await pause(200);
    }
    return undefined;
  }
}
