// The words of everything except the form: the result of the payment, or why there is none.

import type { UnifiedCheckoutSession } from '@svc/browser';
import type { Language } from '../texts/index.ts';
import { localeOf } from '../texts/locale.ts';
import { amountOf } from './pay-button.ts';
import { isFree, keepsForm, type View } from './view.ts';

export type OutcomeView = Exclude<
  View,
  { name: 'loading' | 'form' | 'paying' | 'redirecting' | 'confirming' }
>;
type PaidView = Extract<OutcomeView, { name: 'succeeded' | 'authorized' }>;

/** True for every state that replaces the form. */
export const isOutcome = (view: View): view is OutcomeView =>
  view.name === 'checking' || !(view.name === 'loading' || keepsForm(view));

export type OutcomeText = {
  readonly title: string;
  readonly lines: readonly string[];
  /** An amount in the lines, which a translator must not change. */
  readonly amount: string | null;
  /** Said beside it while the page waits. */
  readonly aside: string | null;
};

type Session = UnifiedCheckoutSession | null;

export function outcomeText(view: OutcomeView, session: Session, language: Language): OutcomeText {
  const { texts } = language;
  const nothing = { amount: null, aside: null };
  switch (view.name) {
    case 'succeeded':
    case 'authorized':
      return { ...nothing, ...receiptText(view, session, language) };
    case 'checking': {
      const late = view.isLong ? texts.checkingLong : null;
      const aside = view.isOffline ? texts.checkingOffline : late;
      return { title: texts.checking, lines: [texts.checkingText], amount: null, aside };
    }
    case 'challenge':
      return { ...nothing, title: texts.challenge, lines: [texts.challengeElsewhere] };
    default:
      return { ...nothing, title: texts[view.name], lines: [texts[`${view.name}Text`]] };
  }
}

/** The amount is not known when a shell was paid and its cart could not be read: it is then left out. */
function receiptText(view: PaidView, session: Session, language: Language) {
  const { texts } = language;
  const isFreely = isFree(session);
  const title = isFreely ? texts.ordered : texts[view.name];
  const amount = session && amountOf(session, language);
  if (amount === null) return { title, lines: [] };
  if (view.name === 'authorized') {
    return { title, amount, lines: holdLines(view, session, { language, amount }) };
  }
  return { title, amount, lines: [isFreely ? texts.orderedText : texts.succeededText(amount)] };
}

type Sum = { readonly language: Language; readonly amount: string };

/** The shop may have charged or released a hold that was made earlier. */
function holdLines(view: PaidView, session: Session, { language, amount }: Sum): string[] {
  const { texts } = language;
  const locale = localeOf(language);
  const until = view.authorizationExpiresAt;
  if (!view.isFresh) {
    const made = view.paidAt ?? session?.createdAt ?? '';
    return [texts.authorizedBefore(amount, longDate(made, locale))];
  }
  const end = until ? [texts.authorizedUntil(longDate(until, locale, 'short'))] : [];
  return [texts.authorizedText(amount), ...end];
}

const longDate = (instant: string, locale: string, timeStyle?: 'short') =>
  new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle }).format(new Date(instant));
