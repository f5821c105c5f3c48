// The words of this page: how it names a card, what was done, and why something was not.

import type { PaymentMethod } from '@svc/contract/customers/payment-methods';
import { brandName, expiryOf, expiryText } from '../checkout/state/cards.ts';
import { textOf } from '../checkout/texts/index.ts';
import { CallFailure } from './calls.ts';
import type { Customer, FailedChange, News, RunningChange, View } from './customer.ts';
import type { CustomerLanguage } from './language.ts';

/** What each part of the page is drawn from. */
export type PartProps = { customer: Customer; language: CustomerLanguage };

export type EndView = Exclude<View, 'loading' | 'cards'>;

/** The card's name within a sentence. */
export function cardName(card: PaymentMethod, { texts, own }: CustomerLanguage): string {
  if (card.type === 'wallet') return card.payerEmail ?? own.wallet;
  const brand = brandName(card.brand) ?? texts.anyBrand;
  return card.lastFour ? texts.savedCard(brand, card.lastFour) : brand;
}

/** Returns what happened and what to do, with a reference when the page does not know the code. */
export function failureText(
  { status, code, resolution, requestId }: CallFailure,
  { texts, own }: CustomerLanguage,
): { readonly text: string; readonly reference: string | null } {
  const unknown = status === 0 ? own.problems.gateway_outcome_unknown : undefined;
  const known = unknown ?? textOf(own.problems, resolution) ?? textOf(own.problems, code);
  if (known) return { text: known, reference: null };
  const reference = [code, requestId].filter(Boolean).join(' · ');
  return { text: own.problemOther, reference: texts.problemReference(reference) };
}

export function headlineOf(view: View, { texts, own }: CustomerLanguage): string {
  if (view === 'loading') return own.loading;
  if (view === 'cards') return own.title;
  if (view === 'linkOver' || view === 'mailOver' || view === 'addressOver') return own.linkOver;
  return view === 'unreachable' ? texts.unreachable : own[view];
}

/** What became of the wish for another mail; null before there was one. */
export const mailingText = ({ mailing }: Customer, language: CustomerLanguage): string | null =>
  wishText(mailing.value, language.own.mailed, language);

/** The same of the wish for a link to a typed address, which is as vague as the answer. */
export const findingText = ({ finding }: Customer, language: CustomerLanguage): string | null =>
  wishText(finding.value, language.own.findSent, language);

/** What is said below the headline of a page that shows no cards. */
export function endText(
  view: EndView,
  { confirming }: Customer,
  { own }: CustomerLanguage,
): string {
  if (view !== 'confirmed') return own[`${view}Text`];
  const { value } = confirming;
  const isDone = value !== null && typeof value === 'object' && 'merchantName' in value;
  return isDone ? own.confirmedText(value.merchantName, value.email) : '';
}

/** Why a press did not confirm the address; null before, and while it is asked. */
export function confirmingText({ confirming }: Customer, language: CustomerLanguage) {
  const { value } = confirming;
  return value instanceof CallFailure ? failureText(value, language).text : null;
}

function wishText(
  value: Customer['finding']['value'],
  mailed: string,
  language: CustomerLanguage,
): string | null {
  if (value === null || value === 'asking') return null;
  return value === 'mailed' ? mailed : failureText(value, language).text;
}

export function windowTitle({ view, page }: Customer, language: CustomerLanguage): string {
  const merchant = page.value?.merchant;
  const said = headlineOf(view.value, language);
  return merchant ? `${said} · ${merchant.name}` : said;
}

/** The title above the list: of wallets alone it does not speak of cards. */
export function listText(cards: readonly PaymentMethod[], { own }: CustomerLanguage) {
  const isWallets = cards.length > 0 && cards.every(({ type }) => type === 'wallet');
  return isWallets
    ? { title: own.titleWallets, intro: own.introWallets }
    : { title: own.title, intro: own.intro };
}

export function newsText({ kind, card }: News, language: CustomerLanguage): string {
  const { own } = language;
  if (kind === 'added' || !card) return own.added;
  return own[kind](cardName(card, language));
}

export type TroubleText = {
  /** Null when it is not known whether the change was made. */
  readonly title: string | null;
  readonly text: string;
  readonly reference: string | null;
  /** What is offered beside it. */
  readonly way: 'add' | 'retry' | null;
};

export function troubleText(
  trouble: FailedChange,
  { leaving }: Pick<Customer, 'leaving'>,
  language: CustomerLanguage,
): TroubleText {
  const { own } = language;
  const { cardId, failure, kind, isCertain } = trouble;
  const isLeaving = cardId !== null && leaving.value.has(cardId);
  const title = isLeaving ? own.leaving : own[kind];
  const mayRetry = cardId && kind === 'removeFailed' && failure.retrySafe !== false;
  const isInUse = cardId && failure.code === 'payment_method_in_use';
  const way = isInUse ? 'add' : mayRetry ? 'retry' : null;
  return { ...failureText(failure, language), title: isCertain ? title : null, way };
}

/** What is asked before a card is removed. Only another card can take its subscriptions over. */
export function askText(
  card: PaymentMethod,
  { cards }: Pick<Customer, 'cards'>,
  language: CustomerLanguage,
) {
  const { texts, own } = language;
  const title = own.askTitle(cardName(card, language));
  if (card.type === 'wallet') {
    return { title, text: own.askText, keep: texts.cancel, remove: own.remove };
  }
  const hasOther = cards.value.some(({ id, type }) => id !== card.id && type === 'card');
  const text = hasOther ? `${own.askText} ${own.askMoves}` : own.askText;
  return { title, text, keep: own.askNo, remove: own.askYes };
}

/** What is said of a card's expiry. */
export function cardExpiry(card: PaymentMethod, { texts, own }: CustomerLanguage) {
  const ends = expiryText(card);
  if (!ends) return null;
  switch (expiryOf(card, new Date())) {
    case 'over':
      return { text: texts.cardExpired(ends), tone: 'bad' } as const;
    case 'soon':
      return { text: own.expiresSoon(ends), tone: 'soon' } as const;
    default:
      return { text: texts.cardExpires(ends), tone: '' } as const;
  }
}

export type CardAction = {
  readonly kind: 'makeDefault' | 'replace' | 'remove' | 'retry';
  /** `Removing…` while that runs. */
  readonly label: string;
};

type Changes = Pick<Customer, 'work' | 'addition' | 'leaving' | 'defaultId' | 'trouble' | 'page'>;

/** The actions of a card that the page's link opens. One whose removal has begun offers only to ask for it again. */
export function cardActions(
  card: PaymentMethod,
  customer: Changes,
  { texts, own }: CustomerLanguage,
): CardAction[] {
  const isDoing = (kind: RunningChange['kind']) => isRunning(customer, kind, card);
  if (customer.leaving.value.has(card.id)) {
    const isSaid = customer.trouble.value?.cardId === card.id;
    return isSaid || isDoing('removing') ? [] : [{ kind: 'retry', label: texts.retry }];
  }
  const actions: CardAction[] = [];
  if (customer.defaultId.value !== card.id) {
    actions.push({
      kind: 'makeDefault',
      label: isDoing('changing') ? own.changing : own.makeDefault,
    });
  }
  // A wallet is approved by its owner at the wallet; a card form cannot replace it.
  if (card.type !== 'wallet') actions.push({ kind: 'replace', label: own.replace });
  actions.push({ kind: 'remove', label: isDoing('removing') ? own.removing : own.remove });
  return actions.filter((one) => customer.page.value?.may[one.kind as 'remove']);
}

export const isRunning = (
  { work }: Pick<Customer, 'work'>,
  kind: RunningChange['kind'],
  card: PaymentMethod,
): boolean => work.value?.kind === kind && work.value.cardId === card.id;

/** Only one change runs at a time. */
export const isLocked = ({ work, addition }: Pick<Customer, 'work' | 'addition'>): boolean =>
  work.value !== null || addition.value !== null;
