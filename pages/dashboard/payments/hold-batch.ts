// Several holds that a person captures or releases by one confirmation. Each is an action of its own, with its own
// idempotency key; the list of them stays in this tab until the person has seen how each ended, so that a reload or a
// lost answer asks again for what was sent, and sends nothing else.

import { signal } from '@preact/signals';
import type { ListedPayment, Payment } from '@svc/contract/payments/payments';
import { exponentOf } from '@svc/contract/values/currencies';
import { countAction } from '../../kit/begun-actions.ts';
import type { CallFailure } from '../../kit/calls.ts';
import { money } from '../../kit/money.ts';
import { buyerOf, countedNoun } from '../../kit/words.ts';
import { type ActionIdentity, askFor, endAction, keepInTab, keptInTab } from './money-action.ts';
import { holdNews } from './payment-words.ts';

export type BatchKind = 'capture' | 'cancel';

/** A hold as the list has it, with its buyer's name. */
export type ChosenHold = Payment & Partial<Pick<ListedPayment, 'customerName'>>;

export type BatchRow = Pick<Payment, 'id' | 'amount' | 'currency'> & {
  /** Who paid; null where nobody knows. */
  readonly buyer: string | null;
  /**
   * `waiting`: not sent. `open`: sent, and nobody knows yet whether it took effect. `elsewhere`: its result was told
   * on the payment's own page.
   */
  readonly state: 'waiting' | 'open' | 'done' | 'refused' | 'elsewhere';
  /** What came of it. */
  readonly text: string;
};

export type Batch = { readonly kind: BatchKind; readonly rows: readonly BatchRow[] };

type Owner = { readonly clientId: string; readonly personId: string };

/** The sums of holds by currency, such as `€59.70 in 3 holds`. */
export function sumsOf(holds: readonly Pick<Payment, 'amount' | 'currency'>[]): string[] {
  const sums = new Map<string, { minor: number; count: number }>();
  for (const { amount, currency } of holds) {
    const sum = sums.get(currency) ?? { minor: 0, count: 0 };
    // Sums of decimals are not exact.
    sum.minor += Math.round(amount * 10 ** exponentOf(currency));
    sum.count += 1;
    sums.set(currency, sum);
  }
  return [...sums].map(
    ([currency, { minor, count }]) =>
      `${money(minor / 10 ** exponentOf(currency), currency)} in ${countedNoun(count, ['hold', 'holds'])}`,
  );
}

/** After these the rest would be refused too, or would ask the person once more for each hold. */
const stopsAll = ({ status, code }: CallFailure): boolean =>
  status === 401 || code === 'recent_sign_in_required' || code === 'merchant_role_required';

export class HoldBatch {
  readonly batch = signal<Batch | null>(null);
  readonly isBusy = signal(false);
  /** Why the rest was not sent. */
  readonly failure = signal<CallFailure | null>(null);
  readonly #owner: Owner;
  readonly #name: string;

  constructor(owner: Owner) {
    this.#owner = owner;
    this.#name = `svc.acts.${owner.clientId}.${owner.personId}`;
    const kept = keptInTab(this.#name);
    this.batch.value = kept === null ? null : (JSON.parse(kept) as Batch);
  }

  rowsIn(...states: BatchRow['state'][]): readonly BatchRow[] {
    return this.batch.value?.rows.filter(({ state }) => states.includes(state)) ?? [];
  }

  /** Begins with the confirmed holds, and sends one after the other. */
  readonly begin = (kind: BatchKind, holds: readonly ChosenHold[]): Promise<void> => {
    const rows = holds.map(({ id, amount, currency, email, customerName = null }) => ({
      ...{ id, amount, currency, buyer: buyerOf({ email, customerName }) },
      ...({ state: 'waiting', text: '' } as const),
    }));
    this.#keep({ kind, rows });
    return this.sendWaiting();
  };

  /** Sends what was not sent yet, until one is refused for a reason that holds for all, or the person closes. */
  readonly sendWaiting = (): Promise<void> => {
    countAction();
    return this.#askEach('waiting');
  };

  /** Asks again for what was sent and has no answer, with the same keys. */
  readonly askAgain = (): Promise<void> => this.#askEach('open');

  /** Forgets what has ended or was never sent. What has no answer yet stays. */
  readonly close = (): void => {
    const { value } = this.batch;
    const rows = this.rowsIn('open');
    this.failure.value = null;
    this.#keep(value && rows.length > 0 ? { ...value, rows } : null);
  };

  async #askEach(state: 'waiting' | 'open'): Promise<void> {
    if (this.isBusy.value) return;
    this.isBusy.value = true;
    this.failure.value = null;
    for (const { id } of this.rowsIn(state)) {
      // The person may have closed meanwhile: the rest is not sent then.
      if (!this.rowsIn(state).some((row) => row.id === id)) break;
      // Kept before it is sent: a page that reloads in between asks again.
      if (state === 'waiting') this.#set(id, 'open', '');
      const failure = await this.#ask(id, state === 'waiting' ? {} : null);
      if (failure && stopsAll(failure)) {
        this.failure.value = failure;
        break;
      }
    }
    this.isBusy.value = false;
  }

  async #ask(id: string, body: object | null): Promise<CallFailure | null> {
    const kind = this.batch.value?.kind ?? 'capture';
    const action: ActionIdentity<BatchKind> = { ...this.#owner, paymentId: id, kind };
    const answer = await askFor(action, body);
    if (answer === null) {
      this.#set(id, 'elsewhere', 'The payment’s page has told the result.');
      return null;
    }
    if (answer.state === 'done') {
      this.#set(id, 'done', holdNews(answer.result));
      return null;
    }
    const { failure, state } = answer;
    if (state === 'open') return failure;
    // The next press on the payment's page is another action, which nobody has begun there.
    endAction(action);
    if (stopsAll(failure)) this.#set(id, 'waiting', '');
    else this.#set(id, 'refused', failure.message);
    return failure;
  }

  #set(id: string, state: BatchRow['state'], text: string): void {
    const { value } = this.batch;
    if (!value) return;
    const rows = value.rows.map((row) => (row.id === id ? { ...row, state, text } : row));
    this.#keep({ ...value, rows });
  }

  #keep(batch: Batch | null): void {
    this.batch.value = batch;
    keepInTab(this.#name, batch && JSON.stringify(batch));
  }
}

const ofThisPage = new Map<string, HoldBatch>();

/** The one of this tab: it goes on while the person looks at another page, and is shown again there where it began. */
export function holdBatchOf(owner: Owner): HoldBatch {
  const name = `${owner.clientId} ${owner.personId}`;
  const batch = ofThisPage.get(name) ?? new HoldBatch(owner);
  ofThisPage.set(name, batch);
  return batch;
}
