// The button that pays with a card, and what is said around it. Pure functions of the checkout's state.

import type { Signal } from '@preact/signals';
import type { UnifiedCheckoutSession } from '@svc/browser';
import { formatAmount } from '../../kit/amounts.ts';
import type { Language, Texts } from '../texts/index.ts';
import { localeOf } from '../texts/locale.ts';
import type { CardForm } from './card-form.ts';
import type { SavedCards } from './saved-cards.ts';
import {
  hasSubscription,
  hidesForm,
  isFree,
  isSetup,
  isShell,
  keepsForm,
  type View,
} from './view.ts';

export type PayButton = {
  readonly label: string;
  /** The part of the label that a translator must not change. */
  readonly amount: string | null;
  readonly isBusy: boolean;
  /** True while a press does nothing. */
  readonly isBlocked: boolean;
  readonly hint: string;
};

/** The parts of a checkout that the button depends on. */
type Page = {
  readonly view: Signal<View>;
  readonly session: Signal<UnifiedCheckoutSession | null>;
  readonly cards: SavedCards;
  readonly coupons: { readonly isBusy: Signal<boolean> };
  readonly form: CardForm;
};

export function payButton(checkout: Page, language: Language): PayButton | null {
  const { texts } = language;
  const { view, coupons, form } = checkout;
  const session = checkout.session.value;
  if (!session) return null;
  const isBusy = view.value.name !== 'form';
  const amount = amountOf(session, language);
  const isPaused = view.value.name === 'form' && view.value.notice?.kind === 'wait';
  const isUnready = showsForm(checkout) && !form.isReady.value;
  const idleHint = isFree(session) ? texts.freeLine : texts.safe;
  return {
    label: isBusy ? busyLabel(view.value, session, texts) : idleLabel(session, amount, texts),
    amount: isBusy ? null : amount,
    isBusy,
    isBlocked: isBusy || readsCards(checkout) || isPaused || coupons.isBusy.value || isUnready,
    hint: isBusy ? texts.payingHint : idleHint,
  };
}

type Cards = Pick<Page, 'cards' | 'session'>;

/** True while it is not known whether saved cards or the form will be shown. */
export const readsCards = ({ cards, session }: Cards): boolean =>
  cards.isReading.value && !isFree(session.value);

/** True when a card can be typed: no saved one is chosen, and something is due or to be saved. */
export const showsForm = ({ cards, session }: Cards): boolean =>
  !cards.isReading.value && !isFree(session.value) && cards.choice.value === null;

/** True while neither the wallet nor a discount code can be used. */
export const isLocked = ({ view, coupons }: Pick<Page, 'view' | 'coupons'>): boolean =>
  view.value.name !== 'form' || coupons.isBusy.value;

/** True while the form is in the page, visible or hidden: what was typed stays. */
export const hasCardForm = ({ view, session, form }: Pick<Page, 'view' | 'session' | 'form'>) =>
  Boolean(session.value?.vault) &&
  (keepsForm(view.value) || (hidesForm(view.value) && form.frame !== null));

/** What is said of the charge, above the button. */
export function chargeLines(session: UnifiedCheckoutSession, texts: Texts): string[] {
  const isHold = session.captureMethod === 'manual' && !isFree(session);
  const lines = isHold ? [texts.holdLine] : [];
  if (isSetup(session)) lines.push(texts.setupLine);
  if (hasSubscription(session)) {
    lines.push(texts.keepLine, session.cancelOnPage ? texts.cancelOnPage : texts.cancelByShop);
  }
  return lines;
}

export const amountOf = (
  { totals }: Pick<UnifiedCheckoutSession, 'totals'>,
  language: Language,
): string | null => totals && formatAmount(totals.total, totals.currency, localeOf(language));

/** A cart that has not come yet has no amount. */
function idleLabel(session: UnifiedCheckoutSession, amount: string | null, texts: Texts): string {
  if (amount === null) return texts.payPlain;
  if (isFree(session)) return texts.complete;
  return session.captureMethod === 'manual' ? texts.authorise(amount) : texts.pay(amount);
}

function busyLabel(view: View, session: UnifiedCheckoutSession, texts: Texts): string {
  if (view.name === 'redirecting')
    return view.to === 'wallet' ? texts.redirectingWallet : texts.redirecting;
  if (isShell(session)) return texts.cartComing;
  if (isFree(session)) return texts.completing;
  return session.captureMethod === 'manual' ? texts.authorising : texts.paying;
}
