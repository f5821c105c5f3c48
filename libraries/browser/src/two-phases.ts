// The two calls that a draft becomes: a shell, which opens the card form, and the claim, which brings
// cart and buyer. Spec 4.1.1, 4.1.2, 4.5.1. Contract §3.

import { check, isObject, SvcError } from './svc-error.ts';
import type { ClaimCheckoutSession, CreateCheckoutSession } from './wire.ts';

/** What createAndFetchSession takes. */
export type SessionDraft = Omit<CreateCheckoutSession, 'deferDataAttachment'> & {
  /** `false` forces the one-shot create. */
  readonly deferDataAttachment?: boolean;
  /** Ends the claim and its repeats; 12 000 by default. */
  readonly timeoutMs?: number;
};

/** What createDetachedSession takes. A shell carries no metadata, and neither does a claim. */
export type DetachedDraft = Omit<SessionDraft, 'metadata'>;

/** What openShell takes. */
export type ShellDraft = {
  readonly clientId: string;
  readonly currency: string;
  /** ISO 3166-1 alpha-2, of the buyer. */
  readonly country?: string;
};

/** What claimCheckoutSession takes. */
export type ClaimPayload = ClaimCheckoutSession & {
  /** Ends the claim and its repeats; 12 000 by default. */
  readonly timeoutMs?: number;
};

type Phases = {
  readonly shell: object;
  /** The claim's body as it goes out: a later change of the draft changes nothing. */
  readonly claim: string;
  readonly timeoutMs: number | undefined;
  /** Whether nothing of the draft is lost, or judged otherwise, in two phases. */
  readonly isEligible: boolean;
};

/** Throws CurrencyRequired. The currency is the session's, else the first that a line names. */
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
      // A buyer named twice is the service's to judge.
      !(accountData && Object.keys(named).length),
  };
}

const pauseMs = 300;

/**
 * How long to wait before a claim is repeated, or undefined where it is not: an answer that was lost
 * and a 5xx are worth another attempt, a 429 and a 425 where they say when. Nothing else is.
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
