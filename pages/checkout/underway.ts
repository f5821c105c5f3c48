// What is known of the attempt under way, while the page follows it.

import { findKept, forget, keep } from './keeper.ts';
import type { Pursuit, Why } from './pursuit.ts';
import { isAsked, type SessionStanding, type View } from './view.ts';
import type { Way } from './ways.ts';

type Attempted = Pick<SessionStanding, 'latestTransactionAttempt'>;

export class Underway {
  /** How it is made, for the repeat after its challenge. */
  way: Way | null = null;
  /** The saved card that it is made with. */
  savedId: string | null = null;
  /** Id of the newest attempt before it; null where that is not known. */
  lastAttempt: string | null | undefined;
  /** When the buyer came back from the bank, until that has led to something. */
  backSince: number | null = null;
  /** Back from the wallet with an approval: a notice may have charged it already. */
  isApproved = false;
  readonly #sessionId: string;

  constructor(sessionId: string) {
    this.#sessionId = sessionId;
  }

  begin(way: Way | null, saved: { readonly id: string } | null): void {
    this.way = way;
    this.savedId = saved?.id ?? null;
  }

  end(): void {
    this.backSince = null;
    this.isApproved = false;
    forget('challenge', this.#sessionId);
    forget('asked', this.#sessionId);
  }

  /** The bank asks there, about an attempt that the status names. */
  ask(url: string): void {
    keep('challenge', this.#sessionId, url);
    forget('asked', this.#sessionId);
  }

  /** Where the bank asks about this attempt; null where it was begun on another page. */
  askedAt(standing: Attempted): string | null {
    if (this.isElsewhere(standing)) forget('challenge', this.#sessionId);
    keep('asked', this.#sessionId, standing.latestTransactionAttempt?.id ?? '');
    return findKept('challenge', this.#sessionId);
  }

  /** Another page has given up what this one asks about, and begun anew. */
  isElsewhere({ latestTransactionAttempt: latest }: Attempted): boolean {
    const asked = findKept('asked', this.#sessionId);
    return asked !== null && asked !== latest?.id;
  }

  /** For what was read while no payment was begun: its newest attempt may be that payment's own. */
  note({ latestTransactionAttempt }: Attempted): void {
    this.lastAttempt = latestTransactionAttempt?.id;
  }

  pursuit(data: SessionStanding, { since, ...why }: Why & { since: number }, view: View): Pursuit {
    const { latestTransactionAttempt: latest, status } = data;
    const isFirst = findKept('asked', this.#sessionId) === null && latest?.id !== this.lastAttempt;
    if (status === 'requires_action' && isAsked(view) && isFirst) this.askedAt(data);
    return {
      ...why,
      forMs: Date.now() - since,
      isAsked: isAsked(view),
      isElsewhere: this.isElsewhere(data),
      backForMs: this.backSince && Date.now() - this.backSince,
      lastAttempt: this.lastAttempt,
    };
  }
}
