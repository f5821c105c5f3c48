// The reference model of a payment: states, open operation, keys, refunds, holds, and the response
// that each call must get. It is written from the specification (States and transitions, Errors)
// and contract §2, independently of the service, and gets the provider's results only as single
// words.

import { blocksRefunds, isCaptured, isReserved, type Status } from './moves.ts';

/** Contract §2, Refunds: what is answered for a payment that was not paid. */
const unpaidCodes: Readonly<Partial<Record<Status, string>>> = {
  authorized: 'payment_not_captured',
  voided: 'payment_voided',
  failed: 'payment_failed',
  ...Object.fromEntries(
    (['pending', 'processing', 'unknown'] as const).map((each) => [each, 'payment_unfinished']),
  ),
};

/** The provider's final result. */
export type Word =
  | { readonly said: 'captured' | 'held' | 'action' | 'processing' | 'silence' }
  /** Captured, and later reversed by the provider. */
  | { readonly said: 'taken_back' }
  | {
      readonly said: 'released';
      readonly because: 'expired' | 'canceled';
      /** Set for a cancellation that did not release the hold itself: it found the hold released. */
      readonly isOthers?: true;
    }
  | { readonly said: 'refused'; readonly code: string }
  /** Only for a refund. */
  | { readonly said: 'given' | 'under_way' | 'returned' };

export type VoidReason = 'merchant_requested' | 'expired' | 'provider_canceled';
export type Kind = 'authorize' | 'capture' | 'cancel' | 'expire' | 'refund';

export type Purchase = {
  readonly id: string;
  readonly amount: number;
  readonly captureMethod: 'automatic' | 'manual';
  status: Status;
  voidReason: VoidReason | null;
  captured: number;
  refunded: number;
  pending: number;
  authorizedAt: number | null;
  expiresAt: number | null;
  warned: boolean;
  readonly events: string[];
  /** The status of each dispute, by the provider's id. */
  readonly disputes: Map<string, string>;
};

export type Refund = {
  readonly id: string;
  readonly purchaseId: string;
  readonly amount: number;
  status: Status;
  readonly events: string[];
};

/** An operation: what the requests of one key continue. */
export type ModelOperation = {
  readonly id: string;
  readonly kind: Kind;
  /** The row that is unsettled while the operation is open; for a refund its own row. */
  readonly rowId: string;
  readonly purchaseId: string;
  readonly key: string | null;
  readonly body: string;
  readonly firstSentAt: number;
  attempt: number;
  epoch: number;
  leaseUntil: number | null;
  /** How often an outcome was stored. */
  checks: number;
  state: 'open' | 'refused' | 'done' | 'manual' | 'awaiting_customer';
  answer: MoveAnswer | null;
  /**
   * Set when the bank has challenged the buyer: from then on the attempt is read and not sent
   * again.
   */
  isChallenged?: true;
};

/** The response to a call, as far as the contract defines it. */
export type MoveAnswer = {
  readonly status: number;
  readonly code: string | null;
  readonly isReplayed: boolean;
  /** The row when the response became final. */
  readonly shown: ShownPayment | null;
};

export type ShownPayment = {
  readonly status: Status;
  readonly voidReason: VoidReason | null;
  readonly amount: number;
  readonly captured: number;
  readonly refunded: number;
};

export type MoveRequest = {
  readonly kind: 'capture' | 'cancel' | 'refund';
  readonly purchaseId: string;
  readonly key: string;
  readonly body: string;
  /** The amount of a refund; null for everything that is left. */
  readonly amount: number | null;
  /** Ids for the operation and the refund, used if they are created. */
  readonly workId: string;
  readonly refundId: string;
};

export type BeginResult =
  | { readonly go: 'answer'; readonly answer: MoveAnswer }
  | { readonly go: 'wait' }
  | { readonly go: 'send'; readonly work: ModelOperation };

export const leaseMs = 30_000;
const hour = 3_600_000;
/** The time after which a refund is not sent again. Reliability 4.4. */
export const resendMs = 20 * hour;
/** The time after which a refund is left to a person. Reliability 4.4. */
const manualMs = 24 * hour;
/** The number of checks of an attempt: after a pause of a day the first ones may fail. */
export const manualChecks = 12;

const refuseAtOnce = (status: number, code: string): BeginResult => ({
  go: 'answer',
  answer: { status, code, isReplayed: false, shown: null },
});

export class Reference {
  now = 0;
  readonly purchases = new Map<string, Purchase>();
  readonly refunds = new Map<string, Refund>();
  readonly works = new Map<string, ModelOperation>();

  purchase(id: string): Purchase {
    const found = this.purchases.get(id);
    if (!found) throw new Error(`the model knows no payment ${id}`);
    return found;
  }

  refund(id: string): Refund {
    const found = this.refunds.get(id);
    if (!found) throw new Error(`the model knows no refund ${id}`);
    return found;
  }

  openWorkOf(rowId: string): ModelOperation | undefined {
    return [...this.works.values()].find(
      (work) => work.rowId === rowId && !['refused', 'done'].includes(work.state),
    );
  }

  /** A buyer pays: creates a payment whose outcome is unknown. */
  pay(
    facts: Pick<Purchase, 'id' | 'amount' | 'captureMethod'> & { workId: string },
  ): ModelOperation {
    const { workId, ...rest } = facts;
    this.purchases.set(facts.id, {
      ...rest,
      status: 'pending',
      voidReason: null,
      captured: 0,
      refunded: 0,
      pending: 0,
      authorizedAt: null,
      expiresAt: null,
      warned: false,
      events: [],
      disputes: new Map(),
    });
    return this.#start('authorize', { workId, rowId: facts.id, purchaseId: facts.id });
  }

  /** Contract §2, Idempotency; specification, Errors: capture and cancel. */
  begin(call: MoveRequest): BeginResult {
    const purchase = this.purchases.get(call.purchaseId);
    if (!purchase) return refuseAtOnce(404, 'payment_not_found');
    const known = [...this.works.values()].find(
      (work) => work.kind === call.kind && work.key === call.key,
    );
    if (known) return this.#again(known, call, purchase);
    if (call.kind === 'refund') return this.#beginRefund(call, purchase);
    const open = this.openWorkOf(purchase.id);
    // The buyer is at the bank: nothing is held yet, and no process works on it.
    if (open?.kind === 'authorize' && open.state === 'awaiting_customer') {
      return refuseAtOnce(409, 'payment_not_authorized');
    }
    if (open) return refuseAtOnce(409, 'payment_operation_in_progress');
    const code = this.#refusalOf(purchase);
    if (code) return refuseAtOnce(409, code);
    const { workId, kind, key, body } = call;
    const ids = { workId, rowId: purchase.id, purchaseId: purchase.id, key, body };
    return { go: 'send', work: this.#start(kind, ids) };
  }

  /**
   * A key that was accepted before: it continues its own operation and never starts another one.
   */
  #again(work: ModelOperation, call: MoveRequest, purchase: Purchase): BeginResult {
    if (work.purchaseId !== call.purchaseId || work.body !== call.body) {
      return refuseAtOnce(409, 'idempotency_key_reused');
    }
    if (work.answer) return { go: 'answer', answer: { ...work.answer, isReplayed: true } };
    if (work.state === 'manual') return refuseAtOnce(502, 'gateway_outcome_unknown');
    if (work.state === 'refused') {
      if (this.openWorkOf(work.rowId)) return refuseAtOnce(409, 'payment_operation_in_progress');
      const code = this.#refusalOf(purchase);
      if (code) return refuseAtOnce(409, code);
      work.attempt += 1;
      work.state = 'open';
    } else if (this.isHeld(work)) {
      return { go: 'wait' };
    }
    this.hold(work);
    return { go: 'send', work };
  }

  #beginRefund(call: MoveRequest, purchase: Purchase): BeginResult {
    const left = purchase.captured - purchase.refunded - purchase.pending;
    const amount = call.amount ?? left;
    if ([...purchase.disputes.values()].some(blocksRefunds))
      return refuseAtOnce(409, 'payment_disputed');
    const unpaid = unpaidCodes[purchase.status];
    if (unpaid) return refuseAtOnce(422, unpaid);
    if (amount <= 0 || amount > left) return refuseAtOnce(422, 'refund_amount_exceeds_available');
    const { workId, refundId, key, body } = call;
    const refund: Refund = {
      id: refundId,
      purchaseId: purchase.id,
      amount,
      status: 'pending',
      events: ['refund.created'],
    };
    this.refunds.set(refundId, refund);
    purchase.pending += amount;
    const ids = { workId, rowId: refundId, purchaseId: purchase.id, key, body };
    return { go: 'send', work: this.#start('refund', ids) };
  }

  /** Returns the code of a 409: the payment is not authorised, or its hold has expired. */
  #refusalOf(purchase: Purchase): string | null {
    if (purchase.voidReason === 'expired') return 'authorization_expired';
    if (purchase.captureMethod !== 'manual' || purchase.status !== 'authorized') {
      return 'payment_not_authorized';
    }
    return this.now < (purchase.expiresAt ?? 0) ? null : 'authorization_expired';
  }

  #start(
    kind: Kind,
    ids: { workId: string; rowId: string; purchaseId: string; key?: string; body?: string },
  ): ModelOperation {
    const work: ModelOperation = {
      id: ids.workId,
      kind,
      rowId: ids.rowId,
      purchaseId: ids.purchaseId,
      key: ids.key ?? null,
      body: ids.body ?? '',
      firstSentAt: this.now,
      attempt: 1,
      epoch: 1,
      leaseUntil: this.now + leaseMs,
      checks: 0,
      state: 'open',
      answer: null,
    };
    this.works.set(work.id, work);
    return work;
  }

  isHeld = (work: ModelOperation): boolean =>
    work.leaseUntil !== null && work.leaseUntil > this.now;

  /** Gives the operation to the next lease holder; an earlier lease holder writes nothing from then on. */
  hold(work: ModelOperation): void {
    work.epoch += 1;
    work.leaseUntil = this.now + leaseMs;
  }

  /** At the provider's own deadline, ends a hold on which nobody works. */
  beginExpiry(purchaseId: string, workId: string): ModelOperation | null {
    const purchase = this.purchase(purchaseId);
    const isOver = purchase.expiresAt !== null && this.now >= purchase.expiresAt + 60_000;
    if (purchase.status !== 'authorized' || !isOver || this.openWorkOf(purchaseId)) return null;
    return this.#start('expire', { workId, rowId: purchaseId, purchaseId });
  }

  /** Ends the operation: its key gets this response from now on. */
  finish(work: ModelOperation, answer: MoveAnswer): MoveAnswer {
    work.state = 'done';
    work.leaseUntil = null;
    work.answer = answer;
    return answer;
  }

  /**
   * Leaves the operation open: its outcome is unknown or the attempt was refused, and the same key
   * continues it.
   */
  leave(
    work: ModelOperation,
    state: 'open' | 'refused' | 'awaiting_customer',
    answer: MoveAnswer,
  ): MoveAnswer {
    const isLost =
      state === 'open' &&
      work.kind !== 'capture' &&
      work.kind !== 'cancel' &&
      work.kind !== 'expire' &&
      this.now - work.firstSentAt > manualMs &&
      (work.kind === 'authorize'
        ? work.checks >= manualChecks
        : this.refund(work.rowId).status === 'unknown');
    work.checks += 1;
    work.state = isLost ? 'manual' : state;
    work.leaseUntil = null;
    return answer;
  }

  shownPurchase({ status, voidReason, amount, captured, refunded }: Purchase): ShownPayment {
    return { status, voidReason, amount, captured, refunded };
  }

  shownRefund({ status, amount }: Refund): ShownPayment {
    return { status, voidReason: null, amount, captured: 0, refunded: 0 };
  }

  /** Changes a refund's status and recomputes the purchase from its succeeded refunds. */
  moveRefund(refund: Refund, to: Status): void {
    const purchase = this.purchase(refund.purchaseId);
    refund.status = to;
    if (to === 'succeeded') refund.events.push('refund.succeeded');
    if (to === 'refund_failed') refund.events.push('refund.failed');
    const all = [...this.refunds.values()].filter((one) => one.purchaseId === purchase.id);
    const sum = (among: (status: Status) => boolean) =>
      all.reduce((total, one) => total + (among(one.status) ? one.amount : 0), 0);
    purchase.refunded = sum((status) => status === 'succeeded');
    purchase.pending = sum(isReserved);
    if (!isCaptured(purchase.status)) return;
    purchase.status =
      purchase.refunded === 0
        ? 'succeeded'
        : purchase.refunded === purchase.captured
          ? 'refunded'
          : 'partially_refunded';
  }
}
