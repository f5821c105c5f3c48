// The state of the customer's own page: the saved cards, and the changes to them. No markup. A change is
// shown once the service has made it, never before. docs/decisions/hosted-pages.md.

import { type Signal, signal } from '@preact/signals';
import { addressSecretIn } from '@svc/contract/customers/address-links';
import type {
  CustomerPageMethods,
  OpenedCustomerPage,
} from '@svc/contract/customers/customer-page';
import type { CustomerPageAddress } from '@svc/contract/customers/customer-page-details';
import type { PaymentMethod } from '@svc/contract/customers/payment-methods';
import { ExpiryWatch } from '../checkout/state/expiry-watch.ts';
import { demandIntegrity } from '../kit/demand-integrity.ts';
import type { Addition } from './addition.ts';
import { findKeptPage, forgetPage, keepPage, merchantOfPage } from './arrival.ts';
import { CallFailure, CustomerCalls, failureOf, isPageOver } from './calls.ts';
import { Details } from './details.ts';
import { Purchases } from './purchases.ts';

/**
 * `find`: the address has no link, and one may be asked for. `linkOver`, `mailOver`: the link of the shop or of a mail
 * is over. `confirm`, `confirmed`, `addressOver`: the link confirms another address of the customer.
 */
export type View =
  | 'loading'
  | 'cards'
  | 'find'
  | 'gone'
  | 'confirm'
  | 'confirmed'
  | 'addressOver'
  | 'linkOver'
  | 'mailOver'
  | 'expired'
  | 'unreachable';

const viewsOfLinks: Readonly<Record<string, View>> = {
  customer_page_link_expired: 'linkOver',
  customer_page_mail_expired: 'mailOver',
};

/** What was done, for screen readers too. */
export type News = {
  readonly kind: 'added' | 'replaced' | 'removed' | 'defaultChanged';
  readonly card: PaymentMethod | null;
};

/** A change that failed: about one card, or about adding one. */
export type FailedChange = {
  readonly kind: 'removeFailed' | 'defaultFailed' | 'addFailed';
  readonly cardId: string | null;
  readonly failure: CallFailure;
  /** False when the outcome is not known: the change may have been made. */
  readonly isCertain: boolean;
};

/** A running change, of one card or of a new one. */
export type RunningChange = {
  readonly kind: 'removing' | 'changing' | 'adding';
  readonly cardId: string | null;
};

type CardFormPart = typeof import('./add-card.tsx');

function loadCardForm(): Promise<CardFormPart> {
  demandIntegrity('add-card');
  return import('./add-card.tsx');
}

export class Customer {
  readonly view: Signal<View> = signal('loading');
  readonly page: Signal<OpenedCustomerPage | null> = signal(null);
  readonly cards: Signal<readonly PaymentMethod[]> = signal([]);
  readonly defaultId: Signal<string | null> = signal(null);
  readonly news: Signal<News | null> = signal(null);
  readonly trouble: Signal<FailedChange | null> = signal(null);
  readonly work: Signal<RunningChange | null> = signal(null);
  /** Cards whose removal has begun and may complete by itself: no other action is offered for them. */
  readonly leaving: Signal<ReadonlySet<string>> = signal(new Set());
  /** The card that is removed if its owner confirms. */
  readonly asked: Signal<PaymentMethod | null> = signal(null);
  readonly addition: Signal<Addition | null> = signal(null);
  /** The form for a new card: fetched when the first card is added, as most visits add none. */
  readonly form: Signal<CardFormPart | null> = signal(null);
  /** What became of the wish for another mail; null before there was one. */
  readonly mailing: Signal<'asking' | 'mailed' | CallFailure | null> = signal(null);
  readonly purchases: Purchases;
  readonly details: Details;
  /** The result of confirming another address; null before the button is pressed. */
  readonly confirming: Signal<'asking' | CustomerPageAddress | CallFailure | null> = signal(null);
  /** What became of the wish for a link to a typed address; null before there was one. */
  readonly finding: Signal<'asking' | 'mailed' | CallFailure | null> = signal(null);
  readonly #calls: CustomerCalls;
  readonly #baseUrl: string;
  #link: string | null;
  readonly #addressSecret: string | null;
  readonly #expiry = new ExpiryWatch(() => this.#askForEnd());

  constructor(baseUrl: string, link: string | null) {
    this.#baseUrl = baseUrl;
    this.#calls = new CustomerCalls(baseUrl);
    const onOver = (failure: CallFailure) => this.#end(failure);
    this.purchases = new Purchases(this.#calls, onOver);
    this.details = new Details(this.#calls, {
      onOver,
      onLanguage: (language) => this.#speak(language),
    });
    this.#link = link;
    this.#addressSecret = link && addressSecretIn(link);
  }

  /** Opens the link, or what this tab opened before, and reads the cards. */
  async load(): Promise<void> {
    // Mail scanners load what a mail links to: only the press changes something.
    if (this.#addressSecret !== null) {
      this.view.value = 'confirm';
      return;
    }
    this.view.value = 'loading';
    try {
      const page = this.#link ? await this.#calls.open(this.#link) : findKeptPage();
      if (page) this.#begin(page);
      if (!this.page.value) {
        this.view.value = 'find';
        return;
      }
      const [cards] = await Promise.all([
        this.#calls.list(),
        this.page.value.may.seePurchases && this.purchases.load(),
        this.page.value.may.seeDetails && this.details.load(),
      ]);
      this.#take(cards);
      if (this.view.value === 'loading') this.view.value = 'cards';
    } catch (cause) {
      this.#end(failureOf(cause));
    }
  }

  #begin(page: OpenedCustomerPage): void {
    this.#link = null;
    this.page.value = page;
    keepPage(page);
    this.#calls.use(page.pageToken);
    this.#expiry.start(page.expiresAt);
  }

  /** Switches the page to the chosen language, also after a reload. */
  #speak(language: OpenedCustomerPage['language']): void {
    const { page } = this;
    if (!page.value || page.value.language === language) return;
    page.value = { ...page.value, language };
    keepPage(page.value);
  }

  #take({ data, defaultPaymentMethodId }: CustomerPageMethods): void {
    // The default comes first, then the order of the service, newest first.
    const rankOf = ({ id }: PaymentMethod) => (id === defaultPaymentMethodId ? 0 : 1);
    this.cards.value = [...data].sort((a, b) => rankOf(a) - rankOf(b));
    this.defaultId.value = defaultPaymentMethodId;
  }

  /**
   * Ends the page. An opened page that has expired gets another message than a link that cannot be opened.
   */
  #end({ status, code }: CallFailure): void {
    const isOver = status === 404 || status === 401;
    if (!isOver) {
      this.view.value = 'unreachable';
      return;
    }
    this.view.value = this.page.value ? 'expired' : (viewsOfLinks[code ?? ''] ?? 'gone');
    forgetPage();
  }

  /** Mails another link in place of one that is over. */
  async mailLink(): Promise<void> {
    if (!this.#link || this.mailing.value === 'asking') return;
    this.mailing.value = 'asking';
    try {
      await this.#calls.mailLink(this.#link);
      this.mailing.value = 'mailed';
    } catch (cause) {
      this.mailing.value = failureOf(cause);
    }
  }

  /** Asks for a link to an address. */
  async find(email: string): Promise<void> {
    if (this.finding.value === 'asking') return;
    this.finding.value = 'asking';
    try {
      await this.#calls.requestLink(merchantOfPage(), email);
      this.finding.value = 'mailed';
    } catch (cause) {
      this.finding.value = failureOf(cause);
    }
  }

  /** Makes the address of the mailed link the customer's. A press that was not answered may be repeated. */
  async confirmAddress(): Promise<void> {
    if (this.#addressSecret === null || this.confirming.value === 'asking') return;
    this.confirming.value = 'asking';
    try {
      this.confirming.value = await this.#calls.confirmAddress(this.#addressSecret);
      this.view.value = 'confirmed';
    } catch (cause) {
      const failure = failureOf(cause);
      this.confirming.value = failure;
      if (failure.code === 'customer_page_address_over') this.view.value = 'addressOver';
    }
  }

  /** Asks for confirmation before a card is removed. */
  ask(card: PaymentMethod | null): void {
    if (!this.work.value) this.asked.value = card;
  }

  async remove(card: PaymentMethod): Promise<void> {
    this.asked.value = null;
    if (!this.#start({ kind: 'removing', cardId: card.id })) return;
    if (await this.#remove(card)) this.news.value = { kind: 'removed', card };
    this.work.value = null;
  }

  /** Returns true when the card is gone; otherwise the reason is shown beside it. */
  async #remove(card: PaymentMethod): Promise<boolean> {
    try {
      await this.#calls.remove(card.id);
    } catch (cause) {
      const failure = failureOf(cause);
      if (isPageOver(failure)) {
        this.#end(failure);
        return false;
      }
      // The card is gone, by this call or another one: that was the aim.
      if (await this.#isGone(card.id)) return true;
      if (failure.resolution === 'retry_delete' || isOutcomeUnknown(failure)) {
        this.leaving.value = new Set([...this.leaving.value, card.id]);
      }
      this.#tell('removeFailed', card.id, failure);
      return false;
    }
    if (!(await this.#isGone(card.id))) {
      this.cards.value = this.cards.value.filter(({ id }) => id !== card.id);
    }
    return true;
  }

  /** Reads the list again. Returns false also when it cannot be read. */
  async #isGone(id: string): Promise<boolean> {
    const list = await this.#calls.list().catch(() => null);
    if (list) this.#take(list);
    if (this.page.value?.may.seePurchases) void this.purchases.refresh();
    return list !== null && !list.data.some((card) => card.id === id);
  }

  async makeDefault(card: PaymentMethod): Promise<void> {
    if (!this.#start({ kind: 'changing', cardId: card.id })) return;
    try {
      this.#take(await this.#calls.makeDefault(card.id));
      this.news.value = { kind: 'defaultChanged', card };
    } catch (cause) {
      const failure = failureOf(cause);
      // The change may have been made after all, or undone: the list shows what holds now.
      if (!isPageOver(failure)) await this.#isGone(card.id);
      if (isOutcomeUnknown(failure) && this.defaultId.value === card.id) {
        this.news.value = { kind: 'defaultChanged', card };
      } else {
        this.#fail('defaultFailed', card.id, this.#ofListed(card.id, failure));
      }
    }
    this.work.value = null;
  }

  /** Shows the form for a new card. `replaced` is removed once the new one is saved. */
  async add(replaced: PaymentMethod | null): Promise<void> {
    if (this.addition.value) return;
    if (!this.#start({ kind: 'adding', cardId: replaced?.id ?? null })) return;
    try {
      // A session whose form cannot be fetched expires by itself.
      const [session, form] = await Promise.all([this.#calls.openSetup(), loadCardForm()]);
      this.form.value = form;
      const addition = new form.Addition(this.#baseUrl, session, replaced);
      this.addition.value = addition;
      addition.checkout.view.subscribe(({ name }) => {
        if (name === 'saved') void this.#finish(addition);
      });
    } catch (cause) {
      this.#fail('addFailed', replaced?.id ?? null, failureOf(cause));
    }
    this.work.value = null;
  }

  cancelAddition(): void {
    this.addition.value?.abandon();
    this.addition.value = null;
  }

  /** The new card is verified: it is listed, and the card that it replaces is removed. */
  async #finish(addition: Addition): Promise<void> {
    if (this.addition.value !== addition) return;
    this.addition.value = null;
    this.news.value = null;
    this.trouble.value = null;
    const { replaced } = addition;
    this.work.value = { kind: replaced ? 'removing' : 'adding', cardId: replaced?.id ?? null };
    await this.#calls.list().then(
      (list) => this.#take(list),
      (cause) => this.#end(failureOf(cause)),
    );
    const isReplaced = replaced !== null && (await this.#remove(replaced));
    this.news.value = { kind: isReplaced ? 'replaced' : 'added', card: replaced };
    this.work.value = null;
  }

  /**
   * Starts a change, one at a time, and clears the last one's messages. Returns false while another runs.
   */
  #start(work: RunningChange): boolean {
    if (this.work.value) return false;
    this.work.value = work;
    this.news.value = null;
    this.trouble.value = null;
    return true;
  }

  #fail(kind: FailedChange['kind'], cardId: string | null, failure: CallFailure): void {
    if (isPageOver(failure)) this.#end(failure);
    else this.#tell(kind, cardId, failure);
  }

  #tell(kind: FailedChange['kind'], cardId: string | null, failure: CallFailure): void {
    // A form that did not open changed nothing, whatever the call did.
    const isCertain = kind === 'addFailed' || !isOutcomeUnknown(failure);
    this.trouble.value = { kind, cardId, failure, isCertain };
  }

  /** A listed card is saved: `payment_method_not_found` then means that it cannot be used. */
  #ofListed(id: string, failure: CallFailure): CallFailure {
    const isListed = this.cards.value.some((card) => card.id === id);
    if (failure.code !== 'payment_method_not_found' || !isListed) return failure;
    return new CallFailure(failure.status, { code: 'unusable' });
  }

  /**
   * Checks whether the page has expired by the service's clock. A card that is being typed is not
   * interrupted.
   */
  async #askForEnd(): Promise<void> {
    if (this.view.value !== 'cards' || this.addition.value || this.work.value) return;
    await this.#calls.list().then(
      (list) => this.#take(list),
      (cause) => {
        const failure = failureOf(cause);
        if (isPageOver(failure)) this.#end(failure);
      },
    );
  }
}

/** True when the outcome of the call is not known. */
const isOutcomeUnknown = ({ status, code }: CallFailure): boolean =>
  status === 0 || code === 'gateway_outcome_unknown';
