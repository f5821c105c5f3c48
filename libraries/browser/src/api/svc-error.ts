// The one error class of the library. Contract §1: `type` is one of the specification's three; the
// service's own type is in `wireType`.

export type SvcErrorType = 'validation_error' | 'api_error' | 'authentication_error';

export type SvcErrorFields = {
  readonly message?: string | undefined;
  /** The error type in the service's response. */
  readonly wireType?: string | undefined;
  /** HTTP status; 0 when no response came. */
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  /** Seconds to wait before the next call, from `Retry-After`. */
  readonly retryAfter?: number | undefined;
  /** True when the same call may succeed later without a change. */
  readonly retryable?: boolean | undefined;
  readonly declineCode?: string | undefined;
  readonly advice?: string | undefined;
  readonly param?: string | undefined;
  readonly errors?: readonly { path: string; code: string; message: string }[] | undefined;
  /** What the browser threw when no response came. */
  readonly cause?: unknown;
};

const family = Symbol.for('svc.browser.SvcError');

/**
 * Every failure of the library. `code` is the service's, or one of the library's own: `CurrencyRequired`,
 * `InvalidCheckoutSessionResponse`, `checkout_session_token_required` (this instance does not know the
 * nonce), `form_moved` (the card form was moved in the page and is empty now), `reload_required` (a part of
 * the library can only be loaded after a reload of the page; nothing was done), `network_error` (no
 * response came), `invalid_response` (the response is no JSON) and `aborted` (the caller's signal). After
 * the last three it is not known what the service did.
 */
export class SvcError extends Error {
  /** Also true for an error of this library's other build, ESM or CommonJS, in the same process. */
  static override readonly [Symbol.hasInstance] = (value: unknown): value is SvcError =>
    Object(value)[family] === true;

  declare readonly type: SvcErrorType;
  declare readonly code: string | null;
  declare readonly wireType: string | null;
  declare readonly status: number;
  declare readonly requestId: string | null;
  declare readonly retryable: boolean;
  declare readonly retryAfter: number | null;
  declare readonly declineCode: string | null;
  declare readonly advice: string | null;
  declare readonly param: string | null;
  declare readonly errors: readonly { path: string; code: string; message: string }[];

  constructor(type: SvcErrorType, code: string | null, fields: SvcErrorFields = {}) {
    super(fields.message ?? code ?? type, fields);
    const unsaid = {
      wireType: null,
      status: 0,
      requestId: null,
      retryable: false,
      retryAfter: null,
      declineCode: null,
      advice: null,
      param: null,
      errors: [],
    };
    Object.assign(this, { name: 'SvcError', type, code });
    Object.defineProperty(this, family, { value: true });
    for (const [name, value] of Object.entries(unsaid)) {
      Reflect.set(this, name, Reflect.get(fields, name) ?? value);
    }
  }
}

/** The specification's error type for an HTTP status. Contract §1. */
export const typeOfStatus = (status: number): SvcErrorType =>
  status === 400 || status === 422
    ? 'validation_error'
    : status === 401 || status === 403
      ? 'authentication_error'
      : 'api_error';

/** Throws for a wrong argument, naming it, before any request. */
export function check(isRight: unknown, param: string): asserts isRight {
  if (isRight) return;
  const message = `${param} is missing, or not what it must be.`;
  throw new SvcError('validation_error', 'invalid_argument', { param, message });
}

export const isObject = (value: unknown): boolean => Object(value) === value;

/** Throws unless the value is an http or https address, a path, or empty for the page's own origin. */
export const checkBaseUrl = (value: string): void =>
  check(/^(https?:\/\/[^/]|\/(?!\/)|$)/i.test(value ?? '-'), 'baseUrl');

/** Throws unless the value is non-empty text without lone surrogates. */
export const checkUserId = (value: string): void =>
  check(typeof value === 'string' && /^\P{Cs}+$/u.test(value), 'userId');

/** Turns anything that was thrown into a SvcError. */
export const errorOf = (cause: unknown): SvcError =>
  cause instanceof SvcError
    ? cause
    : new SvcError('api_error', 'page_error', { message: String(cause) });

/** True when no definite response came: it is not known what the service did. */
export const isResponseLost = ({ status, code }: SvcError): boolean =>
  code === 'network_error' ||
  code === 'invalid_response' ||
  (status >= 500 && !code?.startsWith('gateway_'));
