// The customer's page without a browser: its state and words, over a stub of the service.

import type { PaymentMethod } from '@svc/contract/customers/payment-methods';
import { vi } from 'vitest';
import { takeLink } from '../customer/arrival.ts';
import { Customer } from '../customer/customer.ts';
import { customerLanguageFor, formLanguage } from '../customer/language.ts';
import { cardActions, cardName, newsText, troubleText } from '../customer/words.ts';
import { CheckoutTest, cardNumber, stubBrowser } from './checkout-test.ts';
import { pageLink } from './customer-stub.ts';
import { clientId, sessionId } from './stub-answers.ts';

const language = await customerLanguageFor({ language: 'en', timeZone: 'Pacific/Auckland' });

export class CustomerTest extends CheckoutTest {
  customer!: Customer;
  readonly own = language;

  /** Opens the page: with the merchant's link, with another one, or as after a reload. */
  async open(link: string | null = pageLink): Promise<void> {
    const hash = link ? `#${link}` : '';
    const place = { origin: this.service.pageOrigin, pathname: `/m/${clientId}`, search: '', hash };
    vi.stubGlobal('location', place);
    vi.stubGlobal('history', { replaceState: () => void Object.assign(place, { hash: '' }) });
    this.customer = new Customer(this.service.pageOrigin, takeLink());
    void this.customer.load();
    await this.settle();
  }

  setCards(...cards: PaymentMethod[]): void {
    const { customer } = this.service;
    customer.cards = cards;
    customer.defaultId = cards[0]?.id ?? null;
    const none = { products: [], totals: null, currency: null };
    this.service.session = { checkoutMode: 'setup', ...none };
  }

  names(): string[] {
    return this.customer.cards.value.map((card) => cardName(card, language));
  }

  /** What was done. */
  done(): string {
    const news = this.customer.news.value;
    return news ? newsText(news, language) : '';
  }

  /** Why something was not done, beside which card, and what is offered. */
  trouble() {
    const trouble = this.customer.trouble.value;
    if (!trouble) return null;
    const { title, text, reference, way } = troubleText(trouble, this.customer, language);
    const said = [title, text, reference].filter(Boolean).join(' ');
    return { cardId: trouble.cardId, said, way };
  }

  actions(card: PaymentMethod): string[] {
    return cardActions(card, this.customer, language).map(({ label }) => label);
  }

  async remove(card: PaymentMethod): Promise<void> {
    this.customer.ask(card);
    void this.customer.remove(card);
    await this.settle();
  }

  async makeDefault(card: PaymentMethod): Promise<void> {
    void this.customer.makeDefault(card);
    await this.settle();
  }

  /** Opens the form for a new card. */
  async add(replaced: PaymentMethod | null = null): Promise<void> {
    await this.customer.add(replaced);
    await this.settle();
    const { addition } = this.customer;
    if (addition.value) this.follow(addition.value.checkout);
    this.language = formLanguage(this.customer.page.value, language);
  }

  async saveCard(): Promise<void> {
    this.form.typed = cardNumber;
    await this.press();
  }

  /** Lists the new card once the setup has succeeded. */
  listOnceSaved(card: PaymentMethod): void {
    const { customer } = this.service;
    const saved = { type: 'success', sessionId, paymentMethodId: card.id, redirectUrl: null };
    this.service.setups = [
      () => {
        customer.cards = [card, ...customer.cards];
        return { status: 200, body: saved };
      },
    ];
  }

  removals(): (string | undefined)[] {
    const calls = this.service.calls(/payment-methods/).filter(({ method }) => method === 'DELETE');
    return calls.map(({ url }) => url.split('/').at(-1));
  }
}

/** Sets up one CustomerTest for a test file. */
export function customerTest(): CustomerTest {
  const test = new CustomerTest();
  stubBrowser(test, () => new CustomerTest());
  return test;
}
