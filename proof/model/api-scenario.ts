// One run of the API layer: compares the predictions of the reference model with the service's
// responses over HTTP. The provider's state is predicted too, and compared with the sandbox's
// ledger at the end.

import { randomUUID } from 'node:crypto';
import { cards } from '../../service/test/world.ts';
import { type ApiWeather, arm, clearFaults, plantSilence } from './api-faults.ts';
import type { ApiFixture, Checkout, Reply } from './api-fixture.ts';
import { paymentOf } from './api-rows.ts';
import { judgeShape } from './api-shape.ts';
import { keyOf, predictProviderResult } from './api-words.ts';
import { workerPasses } from './api-workers.ts';
import { amount } from './core-answers.ts';
import { ProviderTruth } from './provider-truth.ts';
import {
  type ModelOperation,
  type MoveAnswer,
  type MoveRequest,
  Reference,
  type Word,
} from './reference.ts';
import { Disagreement } from './scenario.ts';
import { applyWord, isEndNear, readPayment, recordWarning } from './settle.ts';

/** The ids of the model's payment in the API and at the provider. */
export type RealCheckout = Checkout & {
  readonly token: string;
  readonly openedAt: number;
  paymentId: string | null;
  intentId: string | null;
  challengeUrl: string | null;
};

export type SentCall = {
  readonly call: MoveRequest;
  readonly weather: ApiWeather;
  readonly hiccup?: boolean;
};

export class ApiScenario {
  readonly fixture: ApiFixture;
  readonly model = new Reference();
  readonly provider = new ProviderTruth();
  readonly real = new Map<string, RealCheckout>();
  readonly seen: Record<string, number>;
  /** Final responses, which are requested again at the end. */
  readonly finals = new Map<string, { readonly call: MoveRequest; readonly text: string }>();
  /** Every response that showed a payment, for the replay of its history. */
  readonly shown: string[] = [];
  /** Events that were delivered; a repeated delivery is only acknowledged. */
  readonly #heard = new Set<string>();
  readonly #run = randomUUID();
  #made = 0;

  constructor(fixture: ApiFixture, seen: Record<string, number>) {
    this.fixture = fixture;
    this.seen = seen;
  }

  count(name: string): void {
    this.seen[name] = (this.seen[name] ?? 0) + 1;
  }

  same(what: string, service: unknown, model: unknown): void {
    const [one, other] = [JSON.stringify(service), JSON.stringify(model)];
    if (one !== other) throw new Disagreement(`${what}: answered ${one}, the model says ${other}`);
  }

  newId = (prefix: string): string => `${prefix}${++this.#made}`;

  /** Returns a key that no other run of the same merchant uses. */
  keyOf = (key: string): string => `${this.#run}-${key}`;

  pick(index: number): string | undefined {
    const ids = [...this.model.purchases.keys()];
    return index < 0 ? undefined : ids[index % Math.max(ids.length, 1)];
  }

  realOf(id: string): RealCheckout {
    const found = this.real.get(id);
    if (!found) throw new Error(`no payment ${id} over HTTP`);
    return found;
  }

  tick(): void {
    this.model.now = this.fixture.now();
  }

  // --- the buyer

  async pay(captureMethod: 'automatic' | 'manual', how: ApiWeather | 'declined' | 'action') {
    const last = [...this.model.purchases.values()].at(-1);
    // After a decline the session is open again and accepts another attempt.
    const isAgain =
      last?.status === 'failed' &&
      last.captureMethod === captureMethod &&
      (this.#attemptOf(last.id)?.answer?.status ?? 0) >= 400 &&
      !this.#isSessionOver(last.id);
    const numbers = { declined: cards.declined, action: cards.needs3ds };
    const number = numbers[how as keyof typeof numbers] ?? cards.approved;
    const checkout = isAgain ? this.realOf(last.id) : await this.fixture.session(captureMethod);
    if (isAgain) this.count('another attempt');
    const token = await this.fixture.cardToken(checkout, number);
    const id = this.newId('p');
    this.tick();
    const openedAt = isAgain ? this.realOf(last.id).openedAt : this.model.now;
    const nothing = { paymentId: null, intentId: null, challengeUrl: null };
    this.real.set(id, { ...checkout, ...nothing, token, openedAt });
    this.provider.open(id, captureMethod);
    const work = this.model.pay({ id, amount, captureMethod, workId: this.newId('w') });
    const isCard = how === 'declined' || how === 'action';
    if (!isCard) await arm(this.fixture, { kind: 'authorize', intentId: null }, plainCall(how));
    const key = `op-${work.id}-1`;
    const request = { effect: 'authorize', key, now: this.model.now } as const;
    const word = isCard ? this.provider.send(id, request, how) : this.wordOf(work, how);
    await this.#attempt(id, work, word);
  }

  #attemptOf = (id: string): ModelOperation | undefined =>
    [...this.model.works.values()].find(
      ({ kind, purchaseId }) => kind === 'authorize' && purchaseId === id,
    );

  /** True when the session of the payment is older than a day. Contract §3. */
  #isSessionOver = (id: string): boolean =>
    this.fixture.now() - this.realOf(id).openedAt > 24 * 3_600_000;

  /** Repeats the buyer's request: it continues the attempt, or returns how it ended. */
  async payAgain(index: number): Promise<void> {
    const id = this.pick(index);
    if (!id) return;
    const work = this.#attemptOf(id);
    const isNewest = [...this.real.entries()].findLast(
      ([, one]) => one.sessionId === this.realOf(id).sessionId,
    );
    if (!work || isNewest?.[0] !== id) return;
    this.tick();
    if (work.answer) {
      const reply = await this.fixture.pay(this.realOf(id), this.realOf(id).token);
      this.count('pay replayed');
      this.same('the attempt again', reply.status, this.#repeated(id, work));
      return;
    }
    if (work.state === 'manual') return;
    this.model.hold(work);
    await this.#attempt(id, work, this.wordOf(work, 'through'));
  }

  /**
   * The nonce is valid for as long as the session is kept, and a session with an attempt is kept: a
   * success is repeated whatever happened to the payment. Specification §5.6;
   * docs/decisions/sessions.md.
   */
  #repeated(id: string, { answer }: ModelOperation): number | undefined {
    if (answer && answer.status >= 400) return this.#isSessionOver(id) ? 409 : answer.status;
    return answer?.status;
  }

  async #attempt(id: string, work: ModelOperation, word: Word): Promise<void> {
    const real = this.realOf(id);
    const reply = await this.fixture.pay(real, real.token);
    await clearFaults(this.fixture);
    Object.assign(real, await paymentOf(this.fixture.world, real.sessionId));
    const { deadline } = this.provider.intent(id);
    const answer = applyWord(this.model, work, { epoch: work.epoch, word, deadline });
    this.count(`pay ${word.said}`);
    this.same(
      `pay after ${word.said}`,
      [reply.status, reply.body.code ?? null],
      [answer?.status, answer && answer.status >= 400 ? answer.code : null],
    );
    const challenge = reply.body.challenge as { url?: string } | undefined;
    if (challenge?.url) real.challengeUrl = challenge.url;
  }

  // --- the merchant

  newCall(facts: Omit<MoveRequest, 'workId' | 'refundId'>): MoveRequest {
    return { ...facts, workId: this.newId('w'), refundId: this.newId('r') };
  }

  send({ kind, purchaseId, key, body }: MoveRequest): Promise<Reply> {
    const paymentId = this.real.get(purchaseId)?.paymentId ?? randomUUID();
    const headers = { 'idempotency-key': this.keyOf(key) };
    const path = `/v1/payments/${paymentId}/${kind === 'refund' ? 'refunds' : kind}`;
    return this.fixture.callAsMerchant(kind === 'refund' ? 'POST' : 'PUT', path, { headers, body });
  }

  async merchant({ call, weather, hiccup = false }: SentCall): Promise<void> {
    this.tick();
    const begun = this.model.begin(call);
    if (begun.go === 'wait') throw new Error('nobody else is at work in this layer');
    if (begun.go === 'answer') {
      this.judge(call, await this.send(call), begun.answer);
      return;
    }
    const { work } = begun;
    const { intentId } = this.realOf(call.purchaseId);
    const fair = this.#isAsked(work, weather) ? weather : 'through';
    await arm(this.fixture, { kind: call.kind, intentId }, { weather: fair, hiccup });
    const reply = await this.send(call);
    await clearFaults(this.fixture);
    if (hiccup) this.provider.sent.add(keyOf(work));
    const word = this.wordOf(work, fair);
    this.count(`${call.kind} heard ${word.said}`);
    const answer = applyWord(this.model, work, { epoch: work.epoch, word, deadline: null });
    if (answer) this.judge(call, reply, answer);
  }

  /**
   * Whether a planted refusal reaches the service: only for a request that the provider would
   * execute; otherwise the provider's own error comes first.
   */
  #isAsked(work: ModelOperation, weather: ApiWeather): boolean {
    if (weather !== 'refused') return true;
    if (work.kind === 'refund') return !this.provider.refunds.has(work.id);
    return this.provider.intent(work.purchaseId).state === 'held';
  }

  wordOf = (work: ModelOperation, weather: ApiWeather): Word =>
    predictProviderResult(work, weather, { model: this.model, provider: this.provider });

  /** Checks status, code, headers and body of a response. Contract §1, §2. */
  judge(call: MoveRequest, reply: Reply, answer: MoveAnswer): void {
    const { kind } = call;
    const isReplay = reply.headers['idempotent-replayed'] === 'true';
    const end = answer.isReplayed ? 'replayed' : (answer.code ?? String(answer.status));
    this.count(`${kind} ${end}`);
    this.same(
      `${kind} of ${call.purchaseId}`,
      [reply.status, reply.body.code ?? null, isReplay],
      [answer.status, answer.code, answer.isReplayed],
    );
    judgeShape(this, reply);
    const { shown } = answer;
    if (shown) {
      const { status, authorizationVoidReason: reason, amountMinor, amountCaptured } = reply.body;
      this.same(
        `the answer to ${kind}`,
        [status, reason, amountMinor, amountCaptured, reply.body.amountRefunded],
        [shown.status, shown.voidReason, shown.amount, shown.captured, shown.refunded],
      );
    }
    if (reply.status < 300) this.shown.push(reply.text);
    const name = `${kind} ${call.key}`;
    const work = [...this.model.works.values()].find((one) => `${one.kind} ${one.key}` === name);
    const first = this.finals.get(name);
    if (reply.status < 300 && first) this.same('the bytes of a replay', reply.text, first.text);
    if (work?.answer && !first && reply.status < 300) {
      this.finals.set(name, { call, text: reply.text });
    }
  }

  // --- the workers and the provider

  async recover(weather: 'through' | 'down'): Promise<void> {
    this.tick();
    const open = [...this.model.works.values()].filter((work) =>
      ['open', 'awaiting_customer'].includes(work.state),
    );
    if (weather === 'down') await plantSilence(this.fixture);
    await workerPasses.recover(this.fixture.world);
    await clearFaults(this.fixture);
    for (const work of open) {
      this.model.hold(work);
      const word = this.wordOf(work, weather);
      this.count(`recovery heard ${word.said}`);
      const deadline =
        work.kind === 'refund' ? null : this.provider.intent(work.purchaseId).deadline;
      applyWord(this.model, work, { epoch: work.epoch, word, deadline });
    }
  }

  async expire(): Promise<void> {
    this.tick();
    await workerPasses.expire(this.fixture.world);
    for (const purchase of this.model.purchases.values()) {
      if (isEndNear(purchase, this.model.now) && recordWarning(purchase))
        this.count('a hold ends soon');
      const work = this.model.beginExpiry(purchase.id, this.newId('w'));
      if (!work) continue;
      this.count('expire starts');
      const word = this.wordOf(work, 'through');
      applyWord(this.model, work, { epoch: work.epoch, word, deadline: null });
    }
  }

  async byHand(index: number, act: 'capture' | 'cancel' | 'expire'): Promise<void> {
    const id = this.pick(index);
    if (!id || !this.provider.byHand(id, act)) return;
    const { intentId } = this.realOf(id);
    const path = act === 'expire' ? `holds/${intentId}/expire` : `intents/${intentId}/${act}`;
    await this.fixture.world.control('POST', `/_control/${path}`, {});
    this.count(`by hand: ${act}`);
  }

  /** A buyer who was sent to the bank answers the challenge. */
  async finishAction(outcome: 'approve' | 'fail'): Promise<void> {
    const asked = [...this.real].find(([one]) => this.provider.intent(one).state === 'action');
    const [id, { challengeUrl: url }] = asked ?? ['', { challengeUrl: null }];
    if (!url) return;
    const body = new URLSearchParams({ outcome });
    await fetch(url, { method: 'POST', body, redirect: 'manual' });
    const intent = this.provider.intent(id);
    if (outcome === 'approve') this.provider.succeed(intent, this.fixture.now());
    else intent.state = 'new';
    this.count(`the buyer: ${outcome}`);
  }

  /**
   * Delivers notices about the payment, in any number; the service reads the payment and does not
   * trust the notices.
   */
  async notice(index: number, picks: readonly number[]): Promise<void> {
    const id = this.pick(index);
    const intentId = id && this.realOf(id).intentId;
    if (!intentId) return;
    const heard = this.#heard;
    this.hear(await workerPasses.notices(this.fixture.world, { intentId, picks, heard }));
  }

  /** Applies the readings of the payments whose notices the service has read. */
  hear(intentIds: ReadonlySet<string>): void {
    this.tick();
    for (const [id, { intentId }] of this.real) {
      if (!intentId || !intentIds.has(intentId) || this.model.openWorkOf(id)) continue;
      const word = this.provider.read(id);
      if (word.said !== 'silence' && readPayment(this.model, this.model.purchase(id), word)) {
        this.count(`a notice: ${word.said}`);
      }
    }
  }

  async moveClock(to: 'hour' | 'day' | 'end' | 'deadline'): Promise<void> {
    this.tick();
    const { now } = this.model;
    const ends = [...this.model.purchases.values()].flatMap(({ expiresAt }) => expiresAt ?? []);
    const next = Math.min(...ends.filter((end) => end > now));
    const end = Number.isFinite(next) ? next : now + 1000;
    const hour = 3_600_000;
    // Several seconds before or after an end, so that the machine's speed does not matter.
    const jumps = {
      hour: hour + 1000,
      day: 25 * hour,
      end: end - now + 20_000,
      deadline: end - now + 80_000,
    };
    await this.fixture.moveClock(Math.ceil(jumps[to] / 1000) * 1000);
    this.tick();
    for (const [id, intent] of this.provider.intents) {
      if (intent.deadline !== null && intent.deadline <= this.model.now) {
        if (this.provider.byHand(id, 'expire')) this.count('a hold ends at the provider');
      }
    }
  }

  // --- what must agree

  /** Compares the payments as the API shows them with the model. */
  async compare(): Promise<void> {
    for (const one of this.model.purchases.values()) {
      const { paymentId } = this.realOf(one.id);
      if (!paymentId) continue;
      const reply = await this.fixture.callAsMerchant('GET', `/v1/payments/${paymentId}`);
      const { body } = reply;
      const { status, voidReason, captured, refunded, pending } = one;
      this.same(
        one.id,
        [
          body.status,
          body.authorizationVoidReason,
          body.amountCaptured,
          body.amountRefunded,
          body.amountRefundable,
        ],
        [status, voidReason, captured, refunded, captured - refunded - pending],
      );
      this.shown.push(reply.text);
      this.#learnEnd(one, body.authorizationExpiresAt as string | null);
    }
  }

  /** The provider sets the end of a hold to the second; the model knows it to a few seconds. */
  #learnEnd(one: { id: string; expiresAt: number | null }, shown: string | null): void {
    const end = shown === null ? null : Date.parse(shown);
    this.same(`${one.id} has an end`, end !== null, one.expiresAt !== null);
    if (end === null || one.expiresAt === null) return;
    this.same(`${one.id} ends when`, Math.abs(end - one.expiresAt) < 15_000, true);
    one.expiresAt = end;
    this.provider.intent(one.id).deadline = end + 60_000;
  }
}

const plainCall = (weather: ApiWeather | 'declined' | 'action') => ({
  weather: weather as ApiWeather,
  hiccup: false,
});
