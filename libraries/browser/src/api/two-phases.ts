// Splits a draft into two calls: the shell, which opens the card form, and the claim, which sends cart and
// buyer. Spec 4.1.1, 4.1.2, 4.5.1. Contract §3.

import { check, isObject, SvcError } from './svc-error.ts';
import type { ClaimCheckoutSession, CreateCheckoutSession } from './wire.ts';

/** The argument of createAndFetchSession. */
export type SessionDraft = Omit<CreateCheckoutSession, 'deferDataAttachment'> & {
  /** `false` forces the one-shot create. */
  readonly deferDataAttachment?: boolean;
  /** Time limit in milliseconds for the claim and its repeats; 12 000 by default. */
  readonly timeoutMs?: number;
};

/** The argument of createDetachedSession. Neither a shell nor a claim carries metadata. */
export type DetachedDraft = Omit<SessionDraft, 'metadata'>;

/** The argument of openShell. */
export type ShellDraft = {
  readonly clientId: string;
  readonly currency: string;
  /** The buyer's country, ISO 3166-1 alpha-2. */
  readonly country?: string;
};

/** The argument of claimCheckoutSession. */
export type ClaimPayload = ClaimCheckoutSession & {
  /** Time limit in milliseconds for the claim and its repeats; 12 000 by default. */
  readonly timeoutMs?: number;
};

type Phases = {
  readonly shell: object;
  /** The claim's body as text, so that a later change of the draft changes nothing. */
  readonly claim: string;
  readonly timeoutMs: number | undefined;
  /** True when shell and claim can carry the whole draft, and the service validates them as one create. */
  readonly isEligible: boolean;
};

/** Throws CurrencyRequired. The currency is the draft's, else the first that a product names. */
export function splitDraft(draft: Partial<SessionDraft>): Phases {
  check(isObject(draft), 'draft');
  const { clientId, currency: own, account, accountData, ...rest } = draft;
  const { deferDataAttachment, timeoutMs, ...cart } = rest;
  const { products = [] } = cart;
  const currency = own || products.find((line) => line.currency)?.currency;
  if (!currency) {
    throw new SvcError('validation_error', 'CurrencyRequired', {
      message: 'Give a currency for the session or for a line.',
      param: 'currency',
    });
  }
  const { country, ...named } = account ?? {};
  const buyer = accountData ?? named;
  return {
    shell: {
      clientId,
      currency,
      ...(country ? { account: { country } } : {}),
      deferDataAttachment: true,
    },
    claim: JSON.stringify({ currency, ...cart, accountData: buyer }),
    timeoutMs,
    isEligible:
      deferDataAttachment !== false &&
      Boolean(clientId && products.length && buyer.userId && buyer.email) &&
      !cart.metadata &&
      // The service judges a draft that names the buyer twice.
      !(accountData && Object.keys(named).length),
  };
}

const pauseMs = 300;

/**
 * How long to wait in milliseconds before a claim is repeated, or undefined when it is not repeated. Lost
 * responses and 5xx are repeated, a 429 and a 425 only with a Retry-After, and nothing else.
 */
export function pauseBeforeRepeat(
  { status, retryAfter }: SvcError,
  attempt: number,
  random: () => number,
): number | undefined {
  const isTold = retryAfter !== null;
  const isLost = status < 400 || status >= 500;
  const isWorthIt = isLost || ((status === 429 || status === 425) && isTold);
  if (!isWorthIt) return undefined;
  return isTold ? retryAfter * 1000 : pauseMs * 2 ** (attempt - 1) * (0.5 + random() / 2);
}
