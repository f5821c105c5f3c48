// How this page names a card, and the text of a failure.

import type { PaymentMethod } from '@svc/contract/payment-methods';
import { brandName } from '../checkout/state/cards.ts';
import { textOf } from '../checkout/texts/index.ts';
import type { CallFailure } from './calls.ts';
import type { CustomerLanguage } from './language.ts';

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
