// Keeps card numbers out of what the search box sends.

import { containsCardNumber, hasLuhnDigit } from '@svc/contract/vault/card-number';

/** Returns the last four digits of a card number in the text; null when it has none. */
export function cardNumberIn(text: string): string | null {
  for (const [run] of text.matchAll(/\d(?:[ .-]?\d){12,18}(?!\d)/g)) {
    const digits = run.replace(/\D/g, '');
    if (hasLuhnDigit(digits)) return digits.slice(-4);
  }
  return null;
}

/**
 * Returns what stays of a text with a card number: its last four digits, or nothing where it is not clear which
 * they are. Null for other text, which may be sent.
 */
export const leftOfCardNumber = (text: string): string | null =>
  cardNumberIn(text) ?? (containsCardNumber(text) ? '' : null);
