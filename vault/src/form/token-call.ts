// Exchanges the card for a single-use token at the vault, the only place to which its number is sent.

import { parentsSignature } from './parents.ts';

export type Card = {
  readonly number: string;
  readonly expiryMonth: number;
  readonly expiryYear: number;
  readonly cvc: string;
  readonly name?: string;
  readonly postalCode?: string;
};

export type TokenAnswer =
  | { readonly token: string; readonly brand: string; readonly lastFour: string }
  | { readonly code: string; readonly retryable: boolean };

const timeoutMs = 15_000;
const unavailable: TokenAnswer = { code: 'unavailable', retryable: true };

const isText = (value: unknown): value is string => typeof value === 'string';

function readAnswer(status: number, body: Readonly<Record<string, unknown>>): TokenAnswer {
  const { token, brand, lastFour, code, retryable } = body;
  if (status === 200 && isText(token) && isText(brand) && isText(lastFour)) {
    return { token, brand, lastFour };
  }
  const isOurs = status === 401 || status === 422 || status === 429;
  if (isOurs && isText(code)) return { code, retryable: retryable === true };
  // No card can be accepted here until the operator has acted.
  if (status === 502 && code === 'raw_card_numbers_refused') return { code, retryable: false };
  return { code: 'unavailable', retryable: status >= 500 ? retryable !== false : false };
}

/** Sends the card; never throws. A network failure gives the code `unavailable`. */
export const sendCard = (mountToken: string, card: Card): Promise<TokenAnswer> =>
  callVault(mountToken, card, readAnswer);

type ProviderMethod = {
  readonly paymentMethodId: string;
  readonly brand: string;
  readonly lastFour: string;
};

/**
 * Exchanges the provider's method for a token; never throws. The provider gives brand and last four digits
 * only to this browser, for the page to show: the vault does not receive them.
 */
export const sendMethod = (
  mountToken: string,
  { paymentMethodId, ...shown }: ProviderMethod,
): Promise<TokenAnswer> =>
  callVault(mountToken, { paymentMethodId }, (status, body) =>
    readAnswer(status, { ...body, ...shown }),
  );

async function callVault(
  mountToken: string,
  given: object,
  read: typeof readAnswer,
): Promise<TokenAnswer> {
  try {
    const answer = await fetch('/form/tokens', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ mountToken, parents: parentsSignature(location.search), ...given }),
      credentials: 'omit',
      cache: 'no-store',
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    });
    const body: unknown = await answer.json();
    if (typeof body !== 'object' || body === null) return unavailable;
    return read(answer.status, body as Readonly<Record<string, unknown>>);
  } catch {
    return unavailable;
  }
}
