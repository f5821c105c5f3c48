// The saved cards of a buyer whom the merchant attached, and the chosen one. They are read while the card
// form loads; for any other buyer nothing is read. No markup.

import { type Signal, signal } from '@preact/signals';
import type { PaymentMethod } from '@svc/contract/customers/payment-methods';
import { expiryOf } from './cards.ts';

/** After this time only the form is offered: the buyer does not wait any longer for the list. */
const withinMs = 4_000;

export class SavedCards {
  readonly cards: Signal<readonly PaymentMethod[]> = signal([]);
  /** True while the list is read. The form loads meanwhile and is shown once the list above it is known. */
  readonly isReading: Signal<boolean> = signal(false);
  /** The id of the card to pay with; null means another card, typed into the form. */
  readonly choice: Signal<string | null> = signal(null);
  readonly declined: Signal<ReadonlySet<string>> = signal(new Set());
  /** Whether the form's card is to be saved. */
  readonly isKept: Signal<boolean> = signal(false);
  /** The card that was just saved, once it is known which one it is. */
  readonly kept: Signal<PaymentMethod | null> = signal(null);
  #isAsked = false;

  /**
   * Reads the list, once. A list that cannot be read counts as empty, and the form accepts any card. When
   * the form was shown first, as before a cart has come, it stays chosen.
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

  /** Finds the card that was just saved. It is only needed for its name, so a failure is ignored. */
  async findKept(id: string, ask: () => Promise<{ data: readonly PaymentMethod[] }>) {
    const answer = await ask().catch(() => null);
    this.kept.value = answer?.data.find((card) => card.id === id) ?? null;
  }

  get chosen(): PaymentMethod | null {
    return this.cards.value.find(({ id }) => id === this.choice.value) ?? null;
  }

  /** Chooses the next card that was not declined, or else the form. */
  noteDecline(id: string): void {
    this.declined.value = new Set([...this.declined.value, id]);
    this.#choose();
  }

  /** Removes a card that is not saved any more. */
  drop(id: string): void {
    this.cards.value = this.cards.value.filter((card) => card.id !== id);
    if (this.choice.value === id) this.#choose();
  }

  /** Chooses the first card that may still pay, or else the form. */
  #choose(): void {
    const now = new Date();
    const isUsable = (card: PaymentMethod) =>
      !this.declined.value.has(card.id) && expiryOf(card, now) !== 'over';
    this.choice.value = this.cards.value.find(isUsable)?.id ?? null;
  }
}
