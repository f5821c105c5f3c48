// What the page knows about the current attempt while it follows it.

import { findKept, forgetKept, keepValue } from './keeper.ts';
import type { Pursuit, Why } from './pursuit.ts';
import { isBuyerAsked, type SessionStatusPart, type View } from './view.ts';
import type { PayCall } from './ways.ts';

type SessionWithAttempt = Pick<SessionStatusPart, 'latestTransactionAttempt'>;

export class RunningAttempt {
  /** The call that made the attempt, which is repeated after the challenge. */
  way: PayCall | null = null;
  /** The id of the saved card that the attempt uses. */
  savedId: string | null = null;
  /**
   * The id of the newest attempt before this one; null when it is not known, undefined when there was none.
   */
  lastAttempt: string | null | undefined;
  /** When the buyer returned from the bank; null again once the result is known. */
  backSince: number | null = null;
  /** The buyer returned from the wallet with an approval: a notice may already have charged the order. */
  isApproved = false;
  readonly #sessionId: string;

  constructor(sessionId: string) {
    this.#sessionId = sessionId;
  }

  begin(way: PayCall | null, saved: { readonly id: string } | null): void {
    this.way = way;
    this.savedId = saved?.id ?? null;
  }

  end(): void {
    this.backSince = null;
    this.isApproved = false;
    forgetKept('challenge', this.#sessionId);
    forgetKept('asked', this.#sessionId);
  }

  /** Stores the address of the bank's challenge. The status names the attempt that it is about. */
  ask(url: string): void {
    keepValue('challenge', this.#sessionId, url);
    forgetKept('asked', this.#sessionId);
  }

  /** Returns the address of this attempt's challenge; null when another page began it. */
  askedAt(standing: SessionWithAttempt): string | null {
    if (this.isElsewhere(standing)) forgetKept('challenge', this.#sessionId);
    keepValue('asked', this.#sessionId, standing.latestTransactionAttempt?.id ?? '');
    return findKept('challenge', this.#sessionId);
  }

  /** True when another page has ended this page's challenge and begun a new attempt. */
  isElsewhere({ latestTransactionAttempt: latest }: SessionWithAttempt): boolean {
    const asked = findKept('asked', this.#sessionId);
    return asked !== null && asked !== latest?.id;
  }

  /** Stores the newest attempt of a status that was read before this payment begins. */
  note({ latestTransactionAttempt }: SessionWithAttempt): void {
    this.lastAttempt = latestTransactionAttempt?.id;
  }

  pursuit(
    data: SessionStatusPart,
    { since, ...why }: Why & { since: number },
    view: View,
  ): Pursuit {
    const { latestTransactionAttempt: latest, status } = data;
    const isFirst = findKept('asked', this.#sessionId) === null && latest?.id !== this.lastAttempt;
    if (status === 'requires_action' && isBuyerAsked(view) && isFirst) this.askedAt(data);
    return {
      ...why,
      forMs: Date.now() - since,
      isAsked: isBuyerAsked(view),
      isElsewhere: this.isElsewhere(data),
      backForMs: this.backSince && Date.now() - this.backSince,
      lastAttempt: this.lastAttempt,
    };
  }
}
