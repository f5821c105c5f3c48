// Disputes in the pure layer: the provider's record of each, the rows that the core makes of its
// reads, and what the specification requires of them (Payment rules 1 to 4).

import {
  changeEvent,
  type DisputeMovement,
  disputeFactsOf,
  isClosed,
  isOlderReading,
  movementEvent,
  newMovements,
  type ProviderDispute,
  refundBlockingStatuses,
} from '../../service/src/domain/payments/dispute.ts';
import type { CoreRows } from './core-rows.ts';
import type { Reference } from './reference.ts';

export type DisputeAct =
  | 'open'
  | 'inquire'
  | 'withdraw'
  | 'evidence'
  | 'win'
  | 'lose'
  | 'reinstate';

type DisputeFacts = ReturnType<typeof disputeFactsOf>;

type DisputeRecord = {
  /** Every state that the provider has shown; the last one is current. */
  readonly shown: ProviderDispute[];
  known: DisputeFacts | undefined;
  /** The index into `shown` of the newest state that was applied. */
  applied: number;
  readonly rows: { readonly id: string; readonly amount: number }[];
  readonly events: string[];
};

export class DisputeBook {
  readonly #model: Reference;
  readonly #kept = new Map<string, DisputeRecord>();
  readonly #found: string[] = [];

  constructor(model: Reference, core: CoreRows) {
    this.#model = model;
    core.isDisputed = (id) => {
      const status = this.#kept.get(id)?.known?.status;
      return status !== undefined && refundBlockingStatuses.includes(status);
    };
  }

  has = (paymentId: string): boolean => this.#kept.has(paymentId);

  /** Makes one step at the provider. Returns false when the step is not possible there. */
  act(paymentId: string, act: DisputeAct, amount: number): boolean {
    const kept = this.#kept.get(paymentId);
    if (act === 'open' || act === 'inquire') {
      if (kept || this.#model.purchase(paymentId).captured === 0) return false;
      this.#kept.set(paymentId, {
        shown: [
          this.#opened(paymentId, act === 'open' ? 'needs_response' : 'warning_needs_response'),
        ],
        known: undefined,
        applied: -1,
        rows: [],
        events: [],
      });
      return true;
    }
    const last = kept?.shown.at(-1);
    if (!kept || !last || isClosed(last.status) !== (act === 'reinstate')) return false;
    kept.shown.push(this.#next(last, act, amount));
    return true;
  }

  #opened(paymentId: string, status: ProviderDispute['status']): ProviderDispute {
    return {
      disputeId: `d-${paymentId}`,
      intentId: paymentId,
      chargeId: null,
      status,
      reason: 'fraudulent',
      amountMinor: 6,
      currency: 'JPY',
      evidenceDueBy: null,
      answer: {
        ...{ intendedSubmission: null, answeredBy: null, hasEvidence: false },
        ...{ submissionCount: 0, isPastDue: false, enhancedEligibility: [] },
      },
      openedAt: new Date(this.#model.now),
      movements: [],
    };
  }

  #next(last: ProviderDispute, act: DisputeAct, amount: number): ProviderDispute {
    const sign = act === 'withdraw' ? 1 : act === 'reinstate' ? -1 : 0;
    const at = new Date(this.#model.now);
    const id = `${last.disputeId}-${last.movements.length}`;
    const moved: DisputeMovement[] =
      sign === 0 ? [] : [{ id, amountMinor: sign * amount, currency: 'JPY', at }];
    const statuses = { evidence: 'under_review', win: 'won', lose: 'lost' } as const;
    const status = statuses[act as keyof typeof statuses] ?? last.status;
    return { ...last, status, movements: [...last.movements, ...moved] };
  }

  /** Reads the dispute after a notice; with a larger `age` the read returns an older state. */
  read(paymentId: string, age: number): 'applied' | 'behind' | null {
    const kept = this.#kept.get(paymentId);
    if (!kept) return null;
    const index = Math.max(0, kept.shown.length - 1 - age);
    const said = kept.shown[index];
    if (!said) return null;
    const recorded = new Set(kept.rows.map(({ id }) => id));
    // A read that was sent before the last change was written may also have been answered before
    // it.
    if (index < kept.applied || isOlderReading(kept.known, recorded, said)) {
      if (index >= kept.applied) this.#found.push(`${said.disputeId}: the newest word is behind`);
      return 'behind';
    }
    for (const movement of newMovements(said, recorded, new Date(0))) {
      kept.rows.push({ id: movement.id, amount: movement.amountMinor });
      this.#noteEvent(said, movement);
    }
    this.#apply(kept, said);
    kept.applied = index;
    this.#model.purchase(paymentId).disputes.set(said.disputeId, said.status);
    return 'applied';
  }

  #noteEvent(said: ProviderDispute, movement: DisputeMovement): void {
    const told = movementEvent(movement);
    const isOut = told === 'chargeback.withdrawn';
    if (isOut !== movement.amountMinor > 0) this.#found.push(`${said.disputeId}: ${told}`);
  }

  #apply(kept: DisputeRecord, said: ProviderDispute): void {
    const facts = disputeFactsOf(said, undefined, new Date(this.#model.now));
    if (!kept.known) {
      kept.events.push('dispute.opened');
      if (isClosed(said.status)) kept.events.push('dispute.closed');
    } else {
      const event = changeEvent(kept.known, facts);
      if (event) kept.events.push(event);
    }
    kept.known = facts;
  }

  /** Spec: Payment rules 1 to 3; reliability M14. */
  compare(): void {
    for (const { shown, applied, known, rows, events } of this.#kept.values()) {
      const said = shown[applied];
      if (!said || !known) continue;
      const id = said.disputeId;
      const sum = (all: readonly { amount: number }[]) => all.reduce((n, one) => n + one.amount, 0);
      const there = said.movements.map(({ amountMinor }) => ({ amount: amountMinor }));
      if (sum(rows) !== sum(there) || rows.length !== there.length) {
        this.#found.push(`${id}: ${rows.length} rows for ${there.length} movements`);
      }
      if (known.status !== said.status) this.#found.push(`${id}: ${known.status}`);
      if (
        events[0] !== 'dispute.opened' ||
        events.filter((one) => one === 'dispute.opened').length > 1
      ) {
        this.#found.push(`${id}: told as ${events.join()}`);
      }
      const isOver = ['won', 'lost'].includes(said.status);
      if (events.filter((one) => one === 'dispute.closed').length !== (isOver ? 1 : 0)) {
        this.#found.push(`${id}: ${said.status} told as ${events.join()}`);
      }
    }
    if (this.#found.length > 0) throw new Error(this.#found.join('; '));
  }
}
