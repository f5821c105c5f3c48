// The provider's refusals: the error envelope, its statuses, and whether a response is remembered for its
// idempotency key (a refusal before anything ran is not).
import type Stripe from 'stripe';

export type ErrorBody = {
  type: 'invalid_request_error' | 'card_error' | 'idempotency_error' | 'api_error';
  message: string;
  code?: string;
  decline_code?: string;
  advice_code?: string;
  network_advice_code?: string;
  network_decline_code?: string;
  param?: string;
  charge?: string;
  doc_url?: string;
  request_log_url?: string;
  payment_intent?: Stripe.PaymentIntent;
  payment_method?: Stripe.PaymentMethod;
  setup_intent?: Stripe.SetupIntent;
};

type Effects = {
  /** The response is stored for the key and replayed. */
  isRemembered?: boolean;
  /** Writes before the refusal are committed: a declined attempt leaves its charge behind. */
  keepsWrites?: boolean;
};

export class ApiError extends Error {
  readonly status: number;
  readonly body: ErrorBody;
  readonly isRemembered: boolean;
  readonly keepsWrites: boolean;

  constructor(status: number, body: ErrorBody, effects: Effects = {}) {
    super(body.message);
    this.status = status;
    this.body = body.code ? { ...body, doc_url: documentation(body.code) } : body;
    this.isRemembered = effects.isRemembered ?? false;
    this.keepsWrites = effects.keepsWrites ?? false;
  }
}

const documentation = (code: string): string =>
  `https://docs.stripe.com/error-codes#${code.replaceAll('_', '-')}`;

/** The error of an invalid parameter before anything ran: 400, not remembered. */
export const invalidParameter = (code: string | undefined, param: string, message: string) =>
  new ApiError(400, {
    type: 'invalid_request_error',
    message,
    param,
    ...(code === undefined ? {} : { code }),
  });

/** The error of an object that does not exist or belongs to another account: 404. */
export const missingResource = (kind: string, id: string, param: string) =>
  new ApiError(
    404,
    {
      type: 'invalid_request_error',
      code: 'resource_missing',
      message: `No such ${kind}: '${id}'`,
      param,
    },
    { isRemembered: true },
  );

/** The error of a call that the object's state does not allow: 400, remembered. */
export const stateError = (
  code: string | undefined,
  message: string,
  facts: Partial<ErrorBody> = {},
) =>
  new ApiError(
    400,
    { type: 'invalid_request_error', ...(code === undefined ? {} : { code }), message, ...facts },
    { isRemembered: true },
  );
