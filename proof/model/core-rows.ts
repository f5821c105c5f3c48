// The service's transition core over rows in maps: `service/src/domain` decides, and this file
// stores the rows as the storage folders do. Nothing else is involved.

import { decideAttempt } from '../../service/src/domain/payments/attempt-settlement.ts';
import { settleTakeBack } from '../../service/src/domain/payments/capture-reversal.ts';
import {
  decideClaim,
  manualMs,
  needsPerson,
  type Operation,
  providerKey,
  resendMs,
} from '../../service/src/domain/payments/operation.ts';
import { captureMarginMs, type Payment } from '../../service/src/domain/payments/payment.ts';
import {
  moveRefund,
  nextRefundState,
  type RefundAnswer,
  refundableMinor,
  refuseRefund,
} from '../../service/src/domain/payments/refund.ts';
import {
  decideHold,
  type ProviderAnswer,
  type Settlement,
  settleReading,
} from '../../service/src/domain/payments/settlement.ts';
import { showPayment } from '../../service/src/engine/steps/payments/show-payment.ts';
import { anOperation, aPayment } from '../../service/test/payments/money.ts';
import { isMove, type Status } from './moves.ts';
import { leaseMs, type MoveRequest } from './reference.ts';

export type ClaimResult =
  | { readonly kind: 'refused'; readonly code: string }
  | { readonly kind: 'replay'; readonly operation: Operation }
  | { readonly kind: 'wait' }
  | { readonly kind: 'claimed'; readonly operation: Operation };

export type SettleResult = {
  readonly code: string | null;
  readonly body: string | null;
  readonly isFinal: boolean;
};

/** Returns a digest that is equal for equal texts. */
const digest = (text: string): Buffer => Buffer.alloc(32, text.padEnd(32, '.'));

export class CoreRows {
  now = new Date(0);
  readonly payments = new Map<string, Payment>();
  readonly operations = new Map<string, Operation>();
  readonly events = new Map<string, string[]>();
  /** Status changes that the contract does not list, and gaps in a sequence. */
  readonly faults: string[] = [];

  payment(id: string): Payment {
    const found = this.payments.get(id);
    if (!found) throw new Error(`no row ${id}`);
    return found;
  }

  operation(id: string): Operation {
    const found = this.operations.get(id);
    if (!found) throw new Error(`no operation ${id}`);
    return found;
  }

  openOf(paymentId: string): Operation | undefined {
    return [...this.operations.values()].find(
      (one) => one.paymentId === paymentId && !['succeeded', 'failed'].includes(one.state),
    );
  }

  #insert(payment: Payment): void {
    this.payments.set(payment.id, payment);
    this.events.set(payment.id, []);
  }

  /** Writes a change and its event, and records what the database would refuse. */
  write(payment: Payment, change: Partial<Payment>, event: string | null): Payment {
    const to = (change.status ?? payment.status) as Status;
    if (to !== payment.status && !isMove(payment.type, payment.status as Status, to)) {
      this.faults.push(`${payment.id} moved from ${payment.status} to ${to}`);
    }
    const told = this.events.get(payment.id) ?? [];
    if (event) told.push(event);
    const next: Payment = {
      ...payment,
      ...change,
      eventSeq: payment.eventSeq + (event ? 1 : 0),
      version: payment.version + 1,
      updatedAt: this.now,
    };
    if (next.eventSeq !== told.length) this.faults.push(`${payment.id} has a gap in its events`);
    this.payments.set(payment.id, next);
    return next;
  }

  claimAttempt(ids: { paymentId: string; operationId: string }, given: Partial<Payment>): void {
    this.#insert(aPayment({ ...given, id: ids.paymentId, currency: 'JPY', createdAt: this.now }));
    this.#open({ id: ids.operationId, kind: 'authorize', paymentId: ids.paymentId });
  }

  #open(given: Partial<Operation> & { id: string }): Operation {
    const operation = anOperation({
      idempotencyKey: null,
      ...given,
      state: 'active',
      leaseOwner: given.id,
      leaseUntil: new Date(this.now.getTime() + leaseMs),
      firstSentAt: this.now,
    });
    this.operations.set(operation.id, operation);
    return operation;
  }

  #hold(operation: Operation, attemptStep: number, owner: string): Operation {
    const held: Operation = {
      ...operation,
      state: operation.state === 'failed' ? 'active' : operation.state,
      attempt: operation.attempt + attemptStep,
      epoch: operation.epoch + 1,
      leaseOwner: owner,
      leaseUntil: new Date(this.now.getTime() + leaseMs),
    };
    this.operations.set(held.id, held);
    return held;
  }

  #findByKey({ kind, key }: MoveRequest): Operation | undefined {
    return [...this.operations.values()].find(
      (one) => one.kind === kind && one.idempotencyKey === key,
    );
  }

  claim(call: MoveRequest): ClaimResult {
    const payment = this.payments.get(call.purchaseId);
    if (!payment) return { kind: 'refused', code: 'payment_not_found' };
    return call.kind === 'refund'
      ? this.#claimRefund(call, payment)
      : this.#claimHold(call, payment);
  }

  #claimHold(call: MoveRequest, payment: Payment): ClaimResult {
    const identity = digest(`${call.kind}${payment.id}${call.body}`);
    const request = { paymentId: payment.id, rawSha256: identity, canonSha256: identity };
    const sameKey = this.#findByKey(call);
    const decision = decideClaim({
      payment,
      now: this.now,
      request,
      leaseOwner: call.workId,
      sameKey,
      open: this.openOf(payment.id),
    });
    if (decision.step === 'refuse') return { kind: 'refused', code: decision.code };
    if (decision.step === 'start') {
      const { kind, key, workId } = call;
      const rest = { kind, idempotencyKey: key, ...request, amountMinor: payment.amountMinor };
      return { kind: 'claimed', operation: this.#open({ id: workId, ...rest }) };
    }
    if (!sameKey) throw new Error('a decision on a key needs its operation');
    if (decision.step === 'replay') return { kind: 'replay', operation: sameKey };
    if (decision.step === 'wait') return { kind: 'wait' };
    const step = decision.step === 'retry' ? 1 : 0;
    return { kind: 'claimed', operation: this.#hold(sameKey, step, call.workId) };
  }

  #claimRefund(call: MoveRequest, purchase: Payment): ClaimResult {
    const identity = digest(`refund${purchase.id}${call.body}`);
    const known = this.#findByKey(call);
    if (known) return this.#judgeRefund(known, call, identity);
    const amountMinor = call.amount ?? refundableMinor(purchase);
    const code = refuseRefund(purchase, amountMinor, this.isDisputed(purchase.id));
    if (code) return { kind: 'refused', code };
    const refund = aPayment({
      id: call.refundId,
      type: 'refund',
      parentPaymentId: purchase.id,
      currency: 'JPY',
      amountMinor,
      captureMethod: purchase.captureMethod,
      createdAt: this.now,
    });
    this.#insert(refund);
    const moved = moveRefund(purchase, { ...refund, status: 'refund_failed' }, 'pending');
    this.write(purchase, moved, null);
    this.write(refund, {}, 'refund.created');
    const keys = { idempotencyKey: call.key, rawSha256: identity, canonSha256: identity };
    const opened = { id: call.workId, kind: 'refund', paymentId: refund.id, ...keys } as const;
    return { kind: 'claimed', operation: this.#open(opened) };
  }

  #judgeRefund(known: Operation, call: MoveRequest, identity: Buffer): ClaimResult {
    const refund = this.payment(known.paymentId);
    const isSame = refund.parentPaymentId === call.purchaseId && known.canonSha256.equals(identity);
    if (!isSame) return { kind: 'refused', code: 'idempotency_key_reused' };
    if (known.responseStatus !== null) return { kind: 'replay', operation: known };
    if (known.state === 'manual') return { kind: 'refused', code: 'gateway_outcome_unknown' };
    if (known.leaseUntil !== null && known.leaseUntil > this.now) return { kind: 'wait' };
    return { kind: 'claimed', operation: this.#hold(known, 0, call.workId) };
  }

  /** Whether a dispute blocks refunds; the commands about disputes replace this function. */
  isDisputed: (paymentId: string) => boolean = () => false;

  claimExpiry(paymentId: string, operationId: string): Operation | null {
    const payment = this.payment(paymentId);
    const expiry = payment.authorizationExpiresAt?.getTime();
    if (payment.status !== 'authorized' || expiry === undefined) return null;
    if (expiry + captureMarginMs > this.now.getTime() || this.openOf(paymentId)) return null;
    return this.#open({ id: operationId, kind: 'expire', paymentId });
  }

  /** Returns the operations that recovery takes over: every unfinished one without a lease holder. */
  takeOver(owner: string): Operation[] {
    return [...this.operations.values()]
      .filter(
        ({ state, leaseUntil }) =>
          ['active', 'in_doubt', 'awaiting_customer'].includes(state) &&
          (leaseUntil === null || leaseUntil <= this.now),
      )
      .map((operation) => this.#hold(operation, 0, owner));
  }

  /** Whether the operation may be sent now: after the end of a hold it is only read. */
  mayCapture(operation: Operation): boolean {
    const expiry = this.payment(operation.paymentId).authorizationExpiresAt;
    return expiry !== null && this.now < expiry;
  }

  isOld = (operation: Operation): boolean =>
    this.now.getTime() - operation.firstSentAt.getTime() >= resendMs;

  keyOf = (operation: Operation): string => providerKey(operation);

  settle(operationId: string, epoch: number, answer: ProviderAnswer): SettleResult | null {
    const operation = this.operation(operationId);
    const isOver = operation.state === 'succeeded' || operation.state === 'failed';
    if (operation.epoch !== epoch || isOver) return null;
    const stands = this.payment(operation.paymentId);
    const settle = operation.kind === 'authorize' ? decideAttempt : decideHold;
    const settlement = settle({ payment: stands, operation, answer, now: this.now });
    const { first } = settlement;
    const payment = first?.change ? this.write(stands, first.change, first.event) : stands;
    const next = settlement.change
      ? this.write(payment, settlement.change, settlement.event)
      : payment;
    return this.#finish(operation, settlement, next);
  }

  #finish(operation: Operation, settlement: Settlement, payment: Payment): SettleResult {
    const { answer, state } = settlement;
    const code = 'code' in answer ? answer.code : null;
    const body = !answer.final ? null : JSON.stringify(code ? { code } : showPayment(payment));
    this.operations.set(operation.id, {
      ...operation,
      state: needsPerson(operation, { state, now: this.now }) ? 'manual' : state,
      checks: operation.checks + 1,
      leaseUntil: null,
      responseStatus: body === null ? null : code ? 409 : 200,
      responseBody: body,
      challenge:
        state === 'awaiting_customer' ? { url: null, clientSecret: null } : operation.challenge,
    });
    return { code, body, isFinal: answer.final };
  }

  /**
   * Settles a refund, with or without its operation; returns null when the caller no longer holds
   * the operation.
   */
  settleRefund(
    refundId: string,
    answer: RefundAnswer,
    held: { operationId: string; epoch: number } | null,
  ): SettleResult | null {
    const operation = held && this.operation(held.operationId);
    const isOver = operation && ['succeeded', 'failed'].includes(operation.state);
    if (operation && (operation.epoch !== held?.epoch || isOver)) return null;
    const refund = this.payment(refundId);
    const purchase = this.payment(refund.parentPaymentId ?? '');
    const to = nextRefundState(refund.status, answer);
    let next = refund;
    if (to) {
      const told = { succeeded: 'refund.succeeded', refund_failed: 'refund.failed' } as const;
      next = this.write(refund, { status: to }, told[to as keyof typeof told] ?? null);
      this.write(purchase, moveRefund(purchase, refund, to), null);
    }
    const isFinal = next.status === 'succeeded' || next.status === 'refund_failed';
    const body = isFinal ? JSON.stringify(showPayment(next)) : null;
    if (operation) {
      const isOld = this.now.getTime() - operation.firstSentAt.getTime() > manualMs;
      const open = isOld && next.status === 'unknown' ? 'manual' : 'in_doubt';
      this.operations.set(operation.id, {
        ...operation,
        state: !isFinal ? open : next.status === 'succeeded' ? 'succeeded' : 'failed',
        leaseUntil: null,
        responseStatus: body === null ? null : 201,
        responseBody: body,
      });
    }
    const isKnown = isFinal || next.status === 'processing';
    return { code: isKnown ? null : 'gateway_outcome_unknown', body, isFinal };
  }

  /** Applies a read of a payment on which nobody works. */
  read(paymentId: string, said: Parameters<typeof settleReading>[1]): boolean {
    const payment = this.payment(paymentId);
    if (this.openOf(paymentId)) return false;
    const takeBack = settleTakeBack(payment, said, this.now);
    if (takeBack) {
      for (const change of takeBack.changes) {
        const isTold = takeBack.failure !== null && change === takeBack.changes.at(-1);
        this.write(this.payment(paymentId), change, isTold ? 'payment.capture_failed' : null);
      }
      return true;
    }
    const settlement = settleReading(payment, said, this.now);
    if (settlement?.change) this.write(payment, settlement.change, settlement.event);
    return settlement !== null;
  }
}
