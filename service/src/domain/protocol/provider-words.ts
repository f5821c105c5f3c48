// The provider's own message on a refusal, as merchants may read it: one line, without card data.

import { oneLine } from '@svc/contract/servers/plain-text';
import { cutText } from '@svc/contract/values/characters';
import { containsCardNumber } from '@svc/contract/vault/card-number';

const mostCharacters = 500;

/** Null where there is no message, or it contains what looks like a card number. */
export function wordsOf(message: unknown): string | null {
  if (typeof message !== 'string') return null;
  const line = cutText(oneLine(message), mostCharacters);
  // This also refuses eight or more digits in a row: a part of a card number is card data.
  const isCardData = containsCardNumber(message) || /\d(?:\D{0,2}\d){7,}/.test(line);
  return line === '' || isCardData ? null : line;
}
