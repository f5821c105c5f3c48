// One run of the pure layer: the reference model and the service's core on the same provider, with
// requests in flight in between. After every step both must agree.

import type { Operation } from '../../service/src/domain/payments/operation.ts';
import { amount, coreAnswer, factsOf, refundAnswer } from './core-answers.ts';
import { CoreRows } from './core-rows.ts';
import { DisputeBook } from './dispute-book.ts';
import { ProviderTruth, type Weather } from './provider-truth.ts';
import {
  type MoveAnswer,
  type MoveRequest,
  manualChecks,
  Reference,
  type ShownPayment,
  type Word,
} from './reference.ts';
import {
  applyRefundWord,
  applyWord,
  findContradictions,
  readPayment,
  recordWarning,
} from './settle.ts';

/** A request without a response from the provider yet, and its lease holder. */
type Flight = {
  readonly workId: string;
  readonly epoch: number;
  readonly ask: 'send' | 'read' | 'end' | 'close';
};

/** What happens to a sent request: it is answered at once, stays in flight, or its lease holder dies. */
export type SendOutcome = Weather | 'in_flight' | 'crash' | 'crash_after';

const start = Date.parse('2026-05-01T10:00:00.000Z');

export class Disagreement extends Error {}

export class Scenario {
  readonly model = new Reference();
  readonly core = new CoreRows();
  readonly provider = new ProviderTruth();
  readonly disputes = new DisputeBook(this.model, this.core);
  readonly seen: Record<string, number>;
  readonly #flights: Flight[] = [];
  /** The bytes of each key's final response. */
  readonly #bodies = new Map<string, string>();
  #made = 0;

  constructor(seen: Record<string, number>) {
    this.seen = seen;
    this.setClock(start);
    // Most cases need a hold, or money to refund.
    this.pay('manual', 'through');
    this.pay('automatic', 'through');
  }

  count(name: string): void {
    this.seen[name] = (this.seen[name] ?? 0) + 1;
  }

  expect(isTrue: boolean, claim: string): void {
    if (!isTrue) throw new Disagreement(claim);
  }

  same(what: string, core: unknown, model: unknown): void {
    const [one, other] = [JSON.stringify(core), JSON.stringify(model)];
    this.expect(one === other, `${what}: the core says ${one}, the model ${other}`);
  }

  newId = (prefix: string): string => `${prefix}${++this.#made}`;

  setClock(now: number): void {
    this.model.now = now;
    this.core.now = new Date(now);
  }

  /** Returns the payment with this index; undefined before the first one. */
  pick(index: number): string | undefined {
    const ids = [...this.model.purchases.keys()];
    return index < 0 ? undefined : ids[index % Math.max(ids.length, 1)];
  }

  pay(captureMethod: 'automatic' | 'manual', then: SendOutcome): void {
    const id = this.newId('p');
    const workId = this.newId('w');
    this.provider.open(id, captureMethod);
    this.model.pay({ id, amount, captureMethod, workId });
    const row = { captureMethod, amountMinor: amount };
    this.core.claimAttempt({ paymentId: id, operationId: workId }, row);
    this.#send(this.core.operation(workId), then);
  }

  call(request: Omit<MoveRequest, 'workId' | 'refundId'>, then: SendOutcome): void {
    const call = { ...request, workId: this.newId('w'), refundId: this.newId('r') };
    const begun = this.model.begin(call);
    const claimed = this.core.claim(call);
    if (begun.go === 'answer') {
      const { answer } = begun;
      if (answer.isReplayed) {
        this.#compareReplay(call, claimed, answer);
        return;
      }
      this.count(`${call.kind} ${answer.code}`);
      this.same(call.kind, claimed, { kind: 'refused', code: answer.code });
      return;
    }
    if (begun.go === 'wait') {
      this.count(`${call.kind} waits`);
      this.same(call.kind, claimed.kind, 'wait');
      return;
    }
    this.same(call.kind, claimed.kind, 'claimed');
    if (claimed.kind !== 'claimed') return;
    const { operation } = claimed;
    const { work } = begun;
    const started = [operation.id, operation.attempt, operation.epoch];
    this.same('what is sent', started, [work.id, work.attempt, work.epoch]);
    this.count(work.epoch === 1 ? `${call.kind} starts` : `${call.kind} resumes`);
    this.#send(operation, then);
  }

  #compareReplay(
    call: MoveRequest,
    claimed: ReturnType<CoreRows['claim']>,
    answer: MoveAnswer,
  ): void {
    this.count(`${call.kind} replayed`);
    this.same(call.kind, claimed.kind, 'replay');
    if (claimed.kind !== 'replay') return;
    const body = claimed.operation.responseBody ?? '';
    const first = this.#bodies.get(claimed.operation.id);
    this.same('the replayed bytes', body, first ?? body);
    this.#compareBody(body, answer);
  }

  #compareBody(body: string, { shown, code, status }: MoveAnswer): void {
    const said = JSON.parse(body) as Record<string, unknown>;
    if (!shown) {
      if (code && status < 500) this.same('the stored refusal', said.code, code);
      return;
    }
    const wire: ShownPayment = {
      status: said.status as ShownPayment['status'],
      voidReason: said.authorizationVoidReason as ShownPayment['voidReason'],
      amount: said.amountMinor as number,
      captured: said.amountCaptured as number,
      refunded: said.amountRefunded as number,
    };
    this.same('the answer', wire, shown);
  }

  /** Returns what is sent to the provider, by the core's own clock and hold. */
  #askOf(operation: Operation): Flight['ask'] {
    if (operation.kind === 'refund') return this.core.isOld(operation) ? 'read' : 'send';
    if (operation.kind === 'expire') return 'end';
    if (operation.kind === 'cancel') return 'send';
    if (operation.kind === 'capture') return this.core.mayCapture(operation) ? 'send' : 'end';
    const waits = operation.state === 'awaiting_customer' || operation.challenge !== null;
    if (!waits) return this.core.isOld(operation) ? 'read' : 'send';
    const age = this.core.now.getTime() - operation.firstSentAt.getTime();
    return age > 3_600_000 ? 'close' : 'read';
  }

  #send(operation: Operation, then: SendOutcome): void {
    const ask = this.#askOf(operation);
    const flight: Flight = { workId: operation.id, epoch: operation.epoch, ask };
    if (ask === 'send' && operation.kind === 'capture') {
      const { expiresAt } = this.model.purchase(operation.paymentId);
      this.expect(this.model.now < (expiresAt ?? 0), 'a capture left for a hold that was over');
    }
    if (then === 'in_flight') this.#flights.push(flight);
    else this.#arrive(flight, then);
  }

  /** Answers one request in flight, or lets its lease holder die. */
  answer(pick: number, then: SendOutcome): void {
    if (then === 'in_flight' || this.#flights.length === 0) return;
    const [flight] = this.#flights.splice(pick % this.#flights.length, 1);
    if (flight) this.#arrive(flight, then);
  }

  #arrive(flight: Flight, then: SendOutcome): void {
    const work = this.model.works.get(flight.workId);
    if (!work) throw new Error(`the model knows no operation ${flight.workId}`);
    if (then === 'crash') {
      this.count('a holder died');
      return;
    }
    const weather = then === 'crash_after' || then === 'in_flight' ? 'through' : then;
    const word = this.#wordFor(flight, weather);
    if (then === 'crash_after') {
      this.count('a holder died after the effect');
      return;
    }
    this.count(`${work.kind} heard ${word.said}`);
    if (word.said === 'released' && word.isOthers) this.count("others' cancel came before ours");
    const deadline = work.kind === 'refund' ? null : this.provider.intent(work.purchaseId).deadline;
    const answer = applyWord(this.model, work, { epoch: flight.epoch, word, deadline });
    const settled =
      work.kind === 'refund'
        ? this.core.settleRefund(work.rowId, refundAnswer(word), {
            operationId: work.id,
            epoch: flight.epoch,
          })
        : this.core.settle(work.id, flight.epoch, coreAnswer(word, { kind: work.kind, deadline }));
    this.same('who settles', settled !== null, answer !== null);
    if (!settled || !answer) {
      this.count('a holder without its lease');
      return;
    }
    if (settled.body !== null) {
      this.#bodies.set(work.id, settled.body);
      if (work.kind !== 'authorize') this.#compareBody(settled.body, answer);
    }
    this.same('a final answer', settled.isFinal, work.answer !== null);
    if (work.kind !== 'authorize') {
      this.count(`${work.kind} ${answer.code ?? answer.status}`);
      this.same(`${work.kind} after ${word.said}`, settled.code, answer.code);
    }
  }

  #wordFor({ workId, ask }: Flight, weather: Weather): Word {
    const operation = this.core.operation(workId);
    const { kind, paymentId: id } = operation;
    const { now } = this.model;
    if (kind === 'refund') {
      if (ask === 'send')
        return this.provider.sendRefund(workId, this.model.refund(id).purchaseId, weather);
      const found = this.provider.refunds.get(workId);
      return found && weather !== 'lost' ? { said: found } : { said: 'silence' };
    }
    if (ask === 'send' && kind !== 'expire') {
      const key = this.core.keyOf(operation);
      return this.provider.send(id, { effect: kind, key, now }, weather);
    }
    if (weather === 'lost' || weather === 'late') return { said: 'silence' };
    const word = this.provider.read(id);
    if (kind === 'authorize') return this.#readAttempt(id, word, ask);
    const deadline = this.provider.intent(id).deadline ?? 0;
    if (word.said !== 'held' || now < deadline) return word;
    const key = kind === 'expire' ? this.core.keyOf(operation) : `expire-${workId}`;
    return this.provider.send(id, { effect: 'cancel', key, now }, weather);
  }

  /**
   * The attempt was given up or never confirmed: its intent is closed before the attempt counts as
   * ended.
   */
  #readAttempt(id: string, word: Word, ask: Flight['ask']): Word {
    const isOpen = word.said === 'silence' || (word.said === 'action' && ask === 'close');
    if (!isOpen) return word;
    const key = `close-${id}`;
    this.provider.send(id, { effect: 'cancel', key, now: this.model.now }, 'through');
    return { said: 'refused', code: 'authentication_failed' };
  }

  /** Changes the payment at the provider without a notice. */
  byHand(index: number, act: 'capture' | 'cancel' | 'expire' | 'finish' | 'give_up'): void {
    const id = this.pick(index);
    if (!id) return;
    const intent = this.provider.intent(id);
    if (act === 'finish' || act === 'give_up') {
      if (intent.state !== 'action' && intent.state !== 'processing') return;
      if (act === 'finish') this.provider.succeed(intent, this.model.now);
      else intent.state = 'new';
      this.count(`the buyer: ${act}`);
    } else if (this.provider.byHand(id, act)) {
      this.count(`by hand: ${act}`);
    }
  }

  /** Reverses a capture at the bank, if no part of it was refunded. */
  takeBack(index: number): void {
    const id = this.pick(index);
    if (!id) return;
    const works = [...this.model.works.values()].filter((work) => work.purchaseId === id);
    const isGiven = works.some(({ id }) =>
      ['given', 'under_way'].includes(this.provider.refunds.get(id) ?? ''),
    );
    if (isGiven || this.disputes.has(id) || !this.provider.takeBack(id)) return;
    this.count('a capture taken back');
  }

  notice(index: number): void {
    const id = this.pick(index);
    if (!id) return;
    const word = this.provider.read(id);
    if (word.said === 'silence' || word.said === 'refused') return;
    const purchase = this.model.purchase(id);
    const isFree = !this.model.openWorkOf(id);
    const moved = isFree && readPayment(this.model, purchase, word);
    const isMoved = this.core.read(id, factsOf(word, this.provider.intent(id).deadline));
    this.same('a notice', isMoved, moved);
    this.count(moved ? `a notice: ${word.said}` : 'a notice without news');
  }

  /** Changes a refund at the provider, also to a late failure, and delivers a notice. */
  refundNotice(index: number, to: 'given' | 'under_way' | 'returned'): void {
    const ids = [...this.model.refunds.keys()];
    const id = ids[index % Math.max(ids.length, 1)];
    if (!id || this.model.openWorkOf(id)) return;
    const refund = this.model.refund(id);
    if (refund.status !== 'succeeded' && refund.status !== 'refund_failed') return;
    applyRefundWord(this.model, refund, { said: to });
    this.core.settleRefund(id, refundAnswer({ said: to }), null);
    this.count(`a refund notice: ${to}`);
  }

  /** Recovery takes over every operation without a lease holder. */
  recover(then: SendOutcome): void {
    for (const operation of this.core.takeOver(this.newId('o'))) {
      const work = this.model.works.get(operation.id);
      if (!work) throw new Error(`the model knows no operation ${operation.id}`);
      this.expect(!this.model.isHeld(work), `${work.id} was taken from its holder`);
      this.model.hold(work);
      this.count('recovery takes over');
      this.#send(operation, then);
    }
  }

  expire(then: SendOutcome): void {
    for (const id of this.model.purchases.keys()) {
      const workId = this.newId('w');
      const work = this.model.beginExpiry(id, workId);
      const operation = this.core.claimExpiry(id, workId);
      this.same('a hold that is over', operation !== null, work !== null);
      if (!operation) continue;
      this.count('expire starts');
      this.#send(operation, then);
    }
  }

  warn(index: number): void {
    const id = this.pick(index);
    if (!id) return;
    const isTold = recordWarning(this.model.purchase(id));
    if (!isTold) return;
    this.core.write(this.core.payment(id), {}, 'payment.authorization_expiring');
    this.count('a hold ends soon');
  }

  /** Compares both sides row by row. */
  compare(): void {
    this.same('what the database would refuse', this.core.faults, []);
    this.same('what can never be', findContradictions(this.model), []);
    for (const one of this.model.purchases.values()) {
      const row = this.core.payment(one.id);
      this.same(
        one.id,
        [row.status, row.authorizationVoidReason, row.capturedMinor, row.refundedMinor],
        [one.status, one.voidReason, one.captured, one.refunded],
      );
      this.same(`${one.id}, reserved`, row.refundPendingMinor, one.pending);
      this.same(`${one.id}, end`, row.authorizationExpiresAt?.getTime() ?? null, one.expiresAt);
      this.same(`${one.id}, events`, this.core.events.get(one.id), one.events);
      const open = [this.core.openOf(one.id)?.id, this.model.openWorkOf(one.id)?.id];
      this.same(`${one.id}, open`, open[0], open[1]);
      const { captures, voids } = this.provider.intent(one.id);
      this.expect(captures <= 1 && captures + voids <= 1, `${one.id}: ${captures} and ${voids}`);
    }
    for (const one of this.model.refunds.values()) {
      this.same(one.id, this.core.payment(one.id).status, one.status);
      this.same(`${one.id}, events`, this.core.events.get(one.id), one.events);
    }
    this.disputes.compare();
  }

  /** Finishes all work; afterwards the service's state must equal the provider's. */
  rest(): void {
    this.#flights.length = 0;
    this.provider.runLate();
    const advanceAndRecover = (hours: number) => {
      this.setClock(this.model.now + hours * 3_700_000);
      this.recover('through');
      this.compare();
    };
    for (const hours of [1, 1, 1, 25, 25]) advanceAndRecover(hours);
    // An outcome that stays in doubt is left to a person after this many checks.
    const isOpen = () => [...this.model.works.values()].some(({ state }) => state === 'open');
    for (let looks = 0; looks < manualChecks && isOpen(); looks++) advanceAndRecover(1);
    for (const [index, one] of [...this.model.purchases.values()].entries()) {
      this.notice(index);
      const { state } = this.provider.intent(one.id);
      const isPaid = one.captured > 0;
      const works = [...this.model.works.values()].filter((work) => work.purchaseId === one.id);
      // A payment that waits for a person does not change.
      if (works.some((work) => work.state === 'manual')) continue;
      if (this.model.openWorkOf(one.id)) {
        this.expect(state === 'processing', `${one.id} is left open`);
        continue;
      }
      this.expect(isPaid === (state === 'captured'), `${one.id}: ${one.status}, there ${state}`);
      this.expect((one.status === 'authorized') === (state === 'held'), `${one.id}: ${state}`);
    }
    this.compare();
  }
}
