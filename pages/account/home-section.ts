// What one section of the account's pages shows, and the change that is under way in it. Knows no
// markup. A change is shown once the service has made it: each one is followed by a read.

import { type Signal, signal } from '@preact/signals';
import { type CallFailure, failureOf } from './calls.ts';

/** What was not done, and beside what it is told. */
export type Trouble = { readonly at: string; readonly failure: CallFailure };

export class Section<T> {
  /** Null until it was read. */
  readonly content: Signal<T | null> = signal(null);
  readonly unreadable: Signal<CallFailure | null> = signal(null);
  /** The change under way; one at a time. */
  readonly work: Signal<string | null> = signal(null);
  readonly trouble: Signal<Trouble | null> = signal(null);
  /** What was done, to be said aloud. */
  readonly news: Signal<{ readonly text: string } | null> = signal(null);
  readonly #read: () => Promise<T>;
  #reads = 0;

  constructor(read: () => Promise<T>) {
    this.#read = read;
  }

  /** Reads again; of several reads at once the newest one counts. */
  async load(): Promise<void> {
    this.#reads += 1;
    const turn = this.#reads;
    try {
      const content = await this.#read();
      if (turn !== this.#reads) return;
      this.content.value = content;
      this.unreadable.value = null;
    } catch (cause) {
      if (turn === this.#reads) this.unreadable.value = failureOf(cause);
    }
  }

  /**
   * Makes one change and reads again; true once it was made. What went wrong stands beside `at`.
   * While another change is under way nothing is begun.
   */
  async change(at: string, act: () => Promise<unknown>, said?: string): Promise<boolean> {
    if (this.work.value !== null) return false;
    this.trouble.value = null;
    try {
      await this.make(at, act, said);
      return true;
    } catch (cause) {
      this.trouble.value = { at, failure: failureOf(cause) };
      return false;
    }
  }

  /** The same for a form, which tells itself what went wrong. Throws CallFailure. */
  async make<R>(at: string, act: () => Promise<R>, said?: string): Promise<R> {
    this.work.value = at;
    this.news.value = null;
    try {
      const result = await act();
      await this.load();
      if (said) this.news.value = { text: said };
      return result;
    } catch (cause) {
      const failure = failureOf(cause);
      // No answer, or that it is gone: what stands now is read, not guessed.
      if (failure.status === 0 || failure.status === 404) await this.load();
      throw failure;
    } finally {
      this.work.value = null;
    }
  }

  /** Reads on from what is shown, without a change: what comes takes its place. */
  async extend(at: string, read: () => Promise<T>): Promise<void> {
    if (this.work.value !== null) return;
    this.work.value = at;
    this.trouble.value = null;
    try {
      this.content.value = await read();
    } catch (cause) {
      this.trouble.value = { at, failure: failureOf(cause) };
    } finally {
      this.work.value = null;
    }
  }

  forget(): void {
    this.trouble.value = null;
    this.news.value = null;
  }
}
