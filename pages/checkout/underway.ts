// What is known of the attempt under way, while the page follows it.

import type { Pursuit, Why } from './pursuit.ts';
import { isAsked, type Standing, type View } from './view.ts';
import type { Way } from './ways.ts';

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

  begin(way: Way | null, saved: { readonly id: string } | null): void {
    this.way = way;
    this.savedId = saved?.id ?? null;
  }

  end(): void {
    this.backSince = null;
    this.isApproved = false;
  }

  /** For what was read while no payment was begun: its newest attempt may be that payment's own. */
  note({ latestTransactionAttempt }: Pick<Standing, 'latestTransactionAttempt'>): void {
    this.lastAttempt = latestTransactionAttempt?.id;
  }

  pursuit(since: number, why: Why, view: View): Pursuit {
    return {
      ...why,
      forMs: Date.now() - since,
      isAsked: isAsked(view),
      backForMs: this.backSince && Date.now() - this.backSince,
      lastAttempt: this.lastAttempt,
    };
  }
}
