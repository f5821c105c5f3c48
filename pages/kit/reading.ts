// What a page reads, without markup: the newest answer counts, and what was read stays while it is read again.

import { type Signal, signal } from '@preact/signals';
import { type CallFailure, failureOf, preparingMs } from './calls.ts';

export class Reading<T> {
  /** Null until it has been read. */
  readonly content: Signal<T | null>;
  /** Why it could not be read the last time. */
  readonly failure: Signal<CallFailure | null> = signal(null);
  readonly isReading: Signal<boolean> = signal(false);
  /** When it was last begun to be read, in milliseconds. */
  lastAt = 0;
  /** Replaced where each render has a newer one. */
  read: () => Promise<T>;
  #turn = 0;
  #repeat: ReturnType<typeof setTimeout> | undefined;

  constructor(read: () => Promise<T>, content: T | null = null) {
    this.read = read;
    this.content = signal(content);
  }

  /** Reads again. Of several reads at once only the newest one counts. */
  readonly again = async (): Promise<void> => {
    this.leave();
    const turn = this.#turn;
    this.lastAt = Date.now();
    this.isReading.value = true;
    const answer = await this.read().then(
      (content) => ({ content, failure: null }),
      (cause: unknown) => ({ content: this.content.value, failure: failureOf(cause) }),
    );
    if (turn !== this.#turn) return;
    this.content.value = answer.content;
    this.failure.value = answer.failure;
    this.isReading.value = false;
    const waitMs = answer.failure && preparingMs(answer.failure);
    if (waitMs) this.#repeat = setTimeout(this.again, waitMs);
  };

  /** A read that is under way no longer counts, and none follows by itself. */
  leave(): void {
    clearTimeout(this.#repeat);
    this.#turn += 1;
  }
}
