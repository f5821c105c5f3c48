// A part of a page that is read and changed, one change at a time. No markup. A change is shown once the
// service has made it: every change is followed by a read.

import { type Signal, signal } from '@preact/signals';
import { countAction } from './begun-actions.ts';
import { type CallFailure, failureOf } from './calls.ts';
import { Reading } from './reading.ts';

/** An error, and the place beside which it is shown. */
export type SectionError = { readonly at: string; readonly failure: CallFailure };

export class Section<T> extends Reading<T> {
  /** The running change; only one at a time. */
  readonly work: Signal<string | null> = signal(null);
  readonly trouble: Signal<SectionError | null> = signal(null);
  /** What was done, for screen readers too. */
  readonly news: Signal<{ readonly text: string } | null> = signal(null);

  /**
   * Makes one change and reads again. Returns true once it was made. An error is shown beside `at`. While
   * another change runs it does nothing and returns false.
   */
  async change(at: string, action: () => Promise<unknown>, said?: string): Promise<boolean> {
    if (this.work.value !== null) return false;
    this.trouble.value = null;
    try {
      await this.make(at, action, said);
      return true;
    } catch (cause) {
      this.trouble.value = { at, failure: failureOf(cause) };
      return false;
    }
  }

  /** The same for a form, which shows its own errors. Throws CallFailure. */
  async make<R>(at: string, action: () => Promise<R>, said?: string): Promise<R> {
    this.work.value = at;
    countAction();
    this.news.value = null;
    try {
      const result = await action();
      await this.again();
      if (said) this.news.value = { text: said };
      return result;
    } catch (cause) {
      const failure = failureOf(cause);
      // After a lost response or a 404 the section is read again, because its state is not known.
      if (failure.status === 0 || failure.status === 404) await this.again();
      throw failure;
    } finally {
      this.work.value = null;
    }
  }

  /** Reads more, without a change: the result replaces the shown content. */
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
