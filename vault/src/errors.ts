// The vault's refusals, in the flat error object of the wire. Contract §1.
import { errorType } from '@svc/contract/errors/error-types';
import { type ErrorCode, errorEntry, errors } from '@svc/contract/errors/errors';

type Entry = { readonly status: number; readonly message: string; readonly retryable?: true };

/** Codes that only the vault returns, beside those of the contract's table. */
const own = {
  session_expired: {
    status: 401,
    message: 'The mount token is not valid any more. Read the session again for a fresh one.',
  },
  origin_not_allowed: {
    status: 403,
    message: 'Card data is taken from the card form alone, on its own origin.',
  },
  number_invalid: { status: 422, message: 'The card number is not valid.' },
  expiry_incomplete: { status: 422, message: 'The expiry date is not a month and a year.' },
  expiry_past: { status: 422, message: 'The card has expired.' },
  cvc_incomplete: { status: 422, message: 'The security code is not complete.' },
  card_refused: { status: 422, message: 'The card provider does not take this card.' },
  provider_unavailable: {
    status: 503,
    message: 'The card provider could not be reached. Nothing was charged; try again.',
    retryable: true,
  },
  provider_misconfigured: {
    status: 502,
    message: 'The card provider does not accept the publishable key of this session.',
  },
  raw_card_numbers_refused: {
    status: 502,
    message:
      'The card provider takes no card numbers from this account. Nothing was charged; the operator sets VAULT_DRIVER=provider-fields.',
  },
} as const satisfies Record<string, Entry>;

export type OwnCode = keyof typeof own;
export type Code = OwnCode | ErrorCode;

const entryOf = (code: Code): Entry =>
  Object.hasOwn(own, code) ? own[code as OwnCode] : errorEntry(code as ErrorCode);

export type ErrorDetails = {
  /** The provider's own code, returned in place of `card_refused`. */
  readonly declineCode?: string;
  readonly retryAfterSeconds?: number;
  readonly param?: string;
  /** The provider's message, only for the log. */
  readonly said?: {
    readonly providerStatus: number | null;
    readonly providerRequestId: string | null;
    readonly said: string | null;
  };
};

/** An expected refusal of a request. */
export class Refusal extends Error {
  readonly code: Code;
  readonly facts: ErrorDetails;

  constructor(code: Code, facts: ErrorDetails = {}) {
    super(code);
    this.code = code;
    this.facts = facts;
  }
}

/** Returns status and body of a refusal. */
export function describeRefusal(refusal: Refusal, requestId: string) {
  const { status, message, retryable } = entryOf(refusal.code);
  return {
    type: errorType(status),
    code: refusal.facts.declineCode ?? refusal.code,
    message,
    status,
    requestId,
    retryable: retryable ?? false,
    ...(refusal.facts.param === undefined ? {} : { param: refusal.facts.param }),
  };
}

/** Returns the seconds for `Retry-After`; undefined when waiting would not help. */
export function retryAfterOf({ code, facts }: Refusal): number | undefined {
  if (facts.retryAfterSeconds !== undefined) return facts.retryAfterSeconds;
  const listed = Object.hasOwn(errors, code) ? errorEntry(code as ErrorCode).retryAfter : undefined;
  return listed ?? (entryOf(code).status === 503 ? 1 : undefined);
}
