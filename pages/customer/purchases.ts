// The state of what the customer bought: subscriptions with their ends, payments, receipts. No markup. A change is
// shown once the service has made it.

import { type Signal, signal } from '@preact/signals';
import type {
  PagePayment,
  PageSubscription,
} from '@svc/contract/customers/customer-page-purchases';
import { httpAddress } from '../checkout/state/addresses.ts';
import { type CallFailure, type CustomerCalls, failureOf, isPageOver } from './calls.ts';

/** What was done with a subscription. */
export type EndNews = {
  readonly kind: 'planned' | 'ended' | 'resumed';
  readonly subscription: PageSubscription;
};

/** What was not done: for the subscription or payment of the id, or to read them, where it is null. */
export type FailedPurchase = {
  readonly kind: 'endFailed' | 'resumeFailed' | 'receiptFailed' | 'purchasesFailed';
  readonly id: string | null;
  readonly failure: CallFailure;
};

export class Purchases {
  readonly subscriptions: Signal<readonly PageSubscription[]> = signal([]);
  readonly payments: Signal<readonly PagePayment[]> = signal([]);
  readonly hasMore: Signal<boolean> = signal(false);
  /** The subscription that ends if its buyer confirms. */
  readonly asked: Signal<PageSubscription | null> = signal(null);
  /** The id of the subscription or payment that a call is under way for; `more` while older payments are read. */
  readonly work: Signal<string | null> = signal(null);
  readonly news: Signal<EndNews | null> = signal(null);
  readonly trouble: Signal<FailedPurchase | null> = signal(null);
  readonly #calls: CustomerCalls;
  readonly #onOver: (failure: CallFailure) => void;

  constructor(calls: CustomerCalls, onOver: (failure: CallFailure) => void) {
    this.#calls = calls;
    this.#onOver = onOver;
  }

  /** Reads both lists. The cards are shown also where these cannot be read. */
  async load(): Promise<void> {
    try {
      const [subscriptions, payments] = await Promise.all([
        this.#calls.subscriptions(),
        this.#calls.payments(null),
      ]);
      this.subscriptions.value = subscriptions.data;
      this.payments.value = payments.data;
      this.hasMore.value = payments.hasMore;
      if (this.trouble.value?.kind === 'purchasesFailed') this.trouble.value = null;
    } catch (cause) {
      this.#tell('purchasesFailed', null, failureOf(cause));
    }
  }

  /** Reads the subscriptions again: another card may pay them since the cards have changed. */
  async refresh(): Promise<void> {
    const read = await this.#calls.subscriptions().catch(() => null);
    if (read) this.subscriptions.value = read.data;
  }

  async showMore(): Promise<void> {
    const last = this.payments.value.at(-1);
    if (!last || !this.#start('more')) return;
    try {
      const { data, hasMore } = await this.#calls.payments(last.id);
      this.payments.value = [...this.payments.value, ...data];
      this.hasMore.value = hasMore;
    } catch (cause) {
      this.#tell('purchasesFailed', null, failureOf(cause));
    }
    this.work.value = null;
  }

  /** Asks for confirmation before a subscription ends. */
  ask(subscription: PageSubscription | null): void {
    if (this.work.value === null) this.asked.value = subscription;
  }

  async end({ id }: PageSubscription): Promise<void> {
    this.asked.value = null;
    if (!this.#start(id)) return;
    try {
      const subscription = await this.#calls.endSubscription(id);
      this.#put(subscription);
      this.news.value = { kind: subscription.cancelAt ? 'planned' : 'ended', subscription };
    } catch (cause) {
      await this.#fail('endFailed', id, failureOf(cause));
    }
    this.work.value = null;
  }

  async resume({ id }: PageSubscription): Promise<void> {
    if (!this.#start(id)) return;
    try {
      const subscription = await this.#calls.resumeSubscription(id);
      this.#put(subscription);
      this.news.value = { kind: 'resumed', subscription };
    } catch (cause) {
      await this.#fail('resumeFailed', id, failureOf(cause));
    }
    this.work.value = null;
  }

  /** Returns the address of a payment's receipt; null where it is not known, which is then said. */
  async receiptOf({ id }: PagePayment): Promise<string | null> {
    if (!this.#start(id)) return null;
    let url: string | null = null;
    try {
      url = httpAddress((await this.#calls.receipt(id)).url)?.href ?? null;
    } catch (cause) {
      this.#tell('receiptFailed', id, failureOf(cause));
    }
    this.work.value = null;
    return url;
  }

  #start(work: string): boolean {
    if (this.work.value !== null) return false;
    this.work.value = work;
    this.news.value = null;
    this.trouble.value = null;
    return true;
  }

  #put(changed: PageSubscription): void {
    this.subscriptions.value = this.subscriptions.value.map((one) =>
      one.id === changed.id ? changed : one,
    );
  }

  /** The list says what holds now: an unanswered call may have been made. */
  async #fail(kind: FailedPurchase['kind'], id: string, failure: CallFailure): Promise<void> {
    if (!isPageOver(failure)) await this.refresh();
    this.#tell(kind, id, failure);
  }

  #tell(kind: FailedPurchase['kind'], id: string | null, failure: CallFailure): void {
    if (isPageOver(failure)) this.#onOver(failure);
    else this.trouble.value = { kind, id, failure };
  }
}
