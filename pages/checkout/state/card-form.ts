// The card form in the page: whether it has loaded, or why not. No markup.

import { type Signal, signal } from '@preact/signals';
import type { CardFrame } from '@svc/browser/card-frame';
import type { LoadErrorReason } from '@svc/contract/vault/form-messages';

export class CardForm {
  /** Set while the form is mounted. */
  frame: CardFrame | null = null;
  readonly isReady: Signal<boolean> = signal(false);
  readonly problem: Signal<LoadErrorReason | null> = signal(null);
  /** Counts the forms that were mounted in place of one that did not load. */
  readonly renewals: Signal<number> = signal(0);

  begin(frame: CardFrame): void {
    this.frame = frame;
    this.problem.value = null;
  }

  noteReady(): void {
    this.problem.value = null;
    this.isReady.value = true;
  }

  noteProblem(reason: LoadErrorReason): void {
    this.isReady.value = false;
    this.problem.value = reason;
  }

  /** Mounts another form. One that has loaded after all is kept, because the buyer may have typed into it. */
  replace(): void {
    if (this.problem.value) this.renewals.value += 1;
    this.problem.value = null;
  }

  /** The form was removed from the page. */
  end(): void {
    this.frame = null;
    this.isReady.value = false;
  }
}
