// Keeps card numbers out of what the search box sends.

import { containsCardNumber, hasLuhnDigit, withoutIds } from '@svc/contract/vault/card-number';

/** Returns the last four digits of a card number in the text; null when it has none. An id may hold its digits. */
export function cardNumberIn(text: string): string | null {
  for (const [run] of withoutIds(text).matchAll(/\d(?:[ .-]?\d){12,18}(?!\d)/g)) {
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
