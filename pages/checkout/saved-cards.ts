// The saved cards of a buyer whom the merchant vouched for, and what was chosen of them. They are
// read beside the card form's loading, and a checkout of anybody else asks nothing. Knows no markup.

import { type Signal, signal } from '@preact/signals';
import type { PaymentMethod } from '@svc/contract/payment-methods';
import { expiryOf } from './cards.ts';

/** Later than this the form alone is offered: nobody waits for what may not come. */
const withinMs = 4_000;

export class SavedCards {
  readonly cards: Signal<readonly PaymentMethod[]> = signal([]);
  /** The form is loading meanwhile, and is shown when it is known what stands above it. */
  readonly isReading: Signal<boolean> = signal(false);
  /** Id of the card to pay with; null is another one, which the form takes. */
  readonly choice: Signal<string | null> = signal(null);
  readonly declined: Signal<ReadonlySet<string>> = signal(new Set());
  /** Whether the card of the form is to be kept. */
  readonly isKept: Signal<boolean> = signal(false);
  /** The card that was just saved, once it is known which one. */
  readonly kept: Signal<PaymentMethod | null> = signal(null);
  #isAsked = false;

  /**
   * Reads them, once; a list that cannot be had is an empty one, and the form takes any card. Where the
   * form was there first, as before a cart has come, what is typed in it stays what pays.
   */
  async read(
    ask: () => Promise<{ data: readonly PaymentMethod[] }>,
    hasForm: boolean,
  ): Promise<void> {
    if (this.#isAsked) return;
    this.#isAsked = true;
    this.isReading.value = !hasForm;
    const late = new Promise<null>((resolve) => setTimeout(resolve, withinMs, null));
    const answer = await Promise.race([ask(), late]).catch(() => null);
    this.cards.value = answer?.data.filter(({ type }) => type === 'card') ?? [];
    if (!hasForm) this.#choose();
    this.isReading.value = false;
  }

  /** Finds the card that was just saved; it is only to be named, so nothing comes of a failure. */
  async findKept(id: string, ask: () => Promise<{ data: readonly PaymentMethod[] }>) {
    const answer = await ask().catch(() => null);
    this.kept.value = answer?.data.find((card) => card.id === id) ?? null;
  }

  get chosen(): PaymentMethod | null {
    return this.cards.value.find(({ id }) => id === this.choice.value) ?? null;
  }

  /** The next one that has not been declined takes its place, else the form does. */
  noteDecline(id: string): void {
    this.declined.value = new Set([...this.declined.value, id]);
    this.#choose();
  }

  /** It is no longer saved. */
  drop(id: string): void {
    this.cards.value = this.cards.value.filter((card) => card.id !== id);
    if (this.choice.value === id) this.#choose();
  }

  /** The first one that may still pay, else the form. */
  #choose(): void {
    const now = new Date();
    const isLeft = (card: PaymentMethod) =>
      !this.declined.value.has(card.id) && expiryOf(card, now) !== 'over';
    this.choice.value = this.cards.value.find(isLeft)?.id ?? null;
  }
}
