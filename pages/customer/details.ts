// What the page knows of the person: name, language of mails and page, address. Another address waits for a press in
// the mail to it. No markup.

import { type Signal, signal } from '@preact/signals';
import type { CustomerPageDetails } from '@svc/contract/customers/customer-page-details';
import { CallFailure, type CustomerCalls, failureOf, isPageOver } from './calls.ts';

/** `mailed`: another address was asked for, whatever else was saved with it. */
export type DetailsNews = { readonly kind: 'saved' | 'mailed' | 'dropped' };

/** A change or a read that failed; `isOfEmail`: the message belongs beside the address field. */
export type FailedDetails = {
  readonly kind: 'saveFailed' | 'dropFailed' | 'unread';
  readonly isOfEmail: boolean;
  readonly failure: CallFailure;
};

/** The details as the customer typed them. An empty email address keeps the present one. */
export type TypedDetails = Pick<CustomerPageDetails, 'name' | 'language'> & {
  readonly email: string;
};

type Around = {
  readonly onOver: (failure: CallFailure) => void;
  readonly onLanguage: (language: CustomerPageDetails['language']) => void;
};

export class Details {
  readonly known: Signal<CustomerPageDetails | null> = signal(null);
  readonly isOpen: Signal<boolean> = signal(false);
  readonly work: Signal<'saving' | 'dropping' | null> = signal(null);
  readonly news: Signal<DetailsNews | null> = signal(null);
  readonly trouble: Signal<FailedDetails | null> = signal(null);
  readonly #calls: CustomerCalls;
  readonly #around: Around;

  constructor(calls: CustomerCalls, around: Around) {
    this.#calls = calls;
    this.#around = around;
  }

  /** Reads the details. The page shows the cards even when the details cannot be read. */
  async load(): Promise<void> {
    try {
      this.known.value = await this.#calls.details();
      if (this.trouble.value?.kind === 'unread') this.trouble.value = null;
    } catch (cause) {
      this.#tell('unread', failureOf(cause));
    }
  }

  /** Opens or closes the form. */
  edit(isOpen: boolean): void {
    if (this.work.value) return;
    this.news.value = null;
    this.trouble.value = null;
    this.isOpen.value = isOpen;
  }

  /** Saves what differs, and closes the form once all of it is saved. */
  async save({ name, language, email }: TypedDetails): Promise<void> {
    const { known } = this;
    if (!known.value || !this.#start('saving')) return;
    // Another tab may have changed the rest meanwhile.
    const changed = {
      ...(name === known.value.name ? {} : { name }),
      ...(language === known.value.language ? {} : { language }),
    };
    const isChanged = Object.keys(changed).length > 0;
    let isOfEmail = false;
    try {
      if (isChanged) this.#take(await this.#calls.changeDetails(changed));
      isOfEmail = true;
      if (email) {
        if (!looksLikeAddress(email)) throw new CallFailure(400, { code: 'invalid_request' });
        await this.#calls.requestAddress(email);
        this.#take(await this.#calls.details().catch(() => known.value));
      }
      this.isOpen.value = false;
      if (isChanged || email) this.news.value = { kind: email ? 'mailed' : 'saved' };
    } catch (cause) {
      this.#tell('saveFailed', failureOf(cause), isOfEmail);
    }
    this.work.value = null;
  }

  /** Drops the address that waits. */
  async drop(): Promise<void> {
    if (!this.#start('dropping')) return;
    try {
      await this.#calls.dropAddress();
      this.#take(this.known.value && { ...this.known.value, pendingEmail: null });
      this.news.value = { kind: 'dropped' };
    } catch (cause) {
      this.#tell('dropFailed', failureOf(cause));
    }
    this.work.value = null;
  }

  #take(details: CustomerPageDetails | null): void {
    this.known.value = details;
    if (details) this.#around.onLanguage(details.language);
  }

  #start(work: 'saving' | 'dropping'): boolean {
    if (this.work.value) return false;
    this.work.value = work;
    this.news.value = null;
    this.trouble.value = null;
    return true;
  }

  #tell(kind: FailedDetails['kind'], failure: CallFailure, isOfEmail = false): void {
    if (isPageOver(failure)) this.#around.onOver(failure);
    else this.trouble.value = { kind, failure, isOfEmail };
  }
}

/** A mistake in typing is told without a call; the service decides. */
const looksLikeAddress = (text: string): boolean => /^\S+@\S+\.\S+$/.test(text);
