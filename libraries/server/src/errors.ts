// One error class per kind of failure. `type` has the specification's three values, and every class extends
// the class of its `type`, so `instanceof` and `type` never disagree. Contract §1.

export type ErrorType = 'validation_error' | 'authentication_error' | 'api_error';

export type ErrorFields = {
  /** The service's own, more precise error type. */
  readonly wireType?: string | undefined;
  readonly code: string | null;
  readonly param?: string | undefined;
  readonly statusCode?: number | undefined;
  readonly requestId?: string | undefined;
  readonly docUrl?: string | undefined;
  readonly retryable?: boolean | undefined;
  /** The response body, unless it was no JSON. */
  readonly raw?: unknown;
  readonly cause?: unknown;
};

/** Names a class of this file, so that another build of this library recognises it. */
export const family = Symbol.for('svc.error.family');

/** Returns the family names of a value's class and of the classes that it extends. */
function familiesOf(value: unknown): unknown[] {
  const names: unknown[] = [];
  let at: unknown = typeof value === 'object' && value !== null ? value.constructor : undefined;
  for (; typeof at === 'function'; at = Object.getPrototypeOf(at)) {
    if (Object.hasOwn(at, family)) names.push(Reflect.get(at, family));
  }
  return names;
}

/**
 * Decides `value instanceof this`. A class of this file compares family names; a subclass that a
 * merchant wrote has none, and compares prototypes as usual.
 */
function isInstance(this: { readonly [family]?: string }, value: unknown): boolean {
  if (Object.hasOwn(this, family)) return familiesOf(value).includes(this[family]);
  return Function.prototype[Symbol.hasInstance].call(this as unknown as () => void, value);
}

/**
 * Every failure of this library. `instanceof` also holds between the ESM and the CommonJS build: a
 * process that loads both has each class twice.
 */
export class SvcError extends Error {
  static readonly [family]: string = 'SvcError';

  static override readonly [Symbol.hasInstance]: (value: unknown) => boolean = isInstance;

  readonly type: ErrorType;
  readonly wireType: string | undefined;
  readonly code: string | null;
  readonly param: string | undefined;
  readonly status: number | undefined;
  /** The same as `status`. */
  readonly statusCode: number | undefined;
  readonly requestId: string | undefined;
  readonly docUrl: string | undefined;
  /** True when the same request may succeed later without a change. */
  readonly retryable: boolean;
  readonly raw: unknown;

  constructor(type: ErrorType, message: string, fields: ErrorFields) {
    super(message, fields.cause === undefined ? undefined : { cause: fields.cause });
    this.name = new.target.name;
    this.type = type;
    this.wireType = fields.wireType;
    this.code = fields.code;
    this.param = fields.param;
    this.status = fields.statusCode;
    this.statusCode = fields.statusCode;
    this.requestId = fields.requestId;
    this.docUrl = fields.docUrl;
    this.retryable = fields.retryable ?? false;
    this.raw = fields.raw;
  }
}

/** 400 and 422, and input that this library refuses before the network. */
export class SvcValidationError extends SvcError {
  static override readonly [family]: string = 'SvcValidationError';

  constructor(message: string, fields: ErrorFields) {
    super('validation_error', message, fields);
  }
}

/** 401: the credential is missing or wrong. Also thrown by the constructor for a missing key. */
export class SvcAuthenticationError extends SvcError {
  static override readonly [family]: string = 'SvcAuthenticationError';

  constructor(message: string, fields: ErrorFields) {
    super('authentication_error', message, fields);
  }
}

/** 403: the credential is valid but does not permit this. */
export class SvcPermissionError extends SvcAuthenticationError {
  static override readonly [family]: string = 'SvcPermissionError';
}

/** The sender of a webhook could not be verified. */
export class SvcSignatureVerificationError extends SvcAuthenticationError {
  static override readonly [family]: string = 'SvcSignatureVerificationError';

  constructor(message: string) {
    super(message, { code: 'SignatureVerificationFailed' });
  }
}

/** Every other failure that the service returned or the network caused. */
export class SvcApiError extends SvcError {
  static override readonly [family]: string = 'SvcApiError';

  constructor(message: string, fields: ErrorFields) {
    super('api_error', message, fields);
  }
}

/** 402: the card provider declined the card; see `declineCode` and `advice`. */
export class SvcCardError extends SvcApiError {
  static override readonly [family]: string = 'SvcCardError';

  readonly declineCode: string | undefined;
  readonly advice: string | undefined;

  constructor(message: string, fields: ErrorFields) {
    super(message, fields);
    this.declineCode = textOf(fields.raw, 'declineCode') ?? textOf(fields.raw, 'decline_code');
    this.advice = textOf(fields.raw, 'advice');
  }
}

/** 404. */
export class SvcNotFoundError extends SvcApiError {
  static override readonly [family]: string = 'SvcNotFoundError';
}
/** 409: the state of the resource forbids the call, or the key was used for another request. */
export class SvcConflictError extends SvcApiError {
  static override readonly [family]: string = 'SvcConflictError';
}
/** 429, after the retries. */
export class SvcRateLimitError extends SvcApiError {
  static override readonly [family]: string = 'SvcRateLimitError';
}
/** 502: the card provider refused the call, is unavailable, or left the outcome unknown. */
export class SvcGatewayError extends SvcApiError {
  static override readonly [family]: string = 'SvcGatewayError';
}
/** No response came: the connection was refused or lost, or the call timed out. */
export class SvcConnectionError extends SvcApiError {
  static override readonly [family]: string = 'SvcConnectionError';
}

const classes: Readonly<Record<number, new (message: string, fields: ErrorFields) => SvcError>> = {
  400: SvcValidationError,
  401: SvcAuthenticationError,
  402: SvcCardError,
  403: SvcPermissionError,
  404: SvcNotFoundError,
  409: SvcConflictError,
  422: SvcValidationError,
  429: SvcRateLimitError,
  502: SvcGatewayError,
};

/** Makes the error of a failed response. `body` is the service's error object, or anything else. */
export function errorOfAnswer(
  statusCode: number,
  body: unknown,
  requestId: string | undefined,
): SvcError {
  const message =
    textOf(body, 'message') ??
    `The answer was ${statusCode} without an error object of the service; is the base address right?`;
  const fields: ErrorFields = {
    wireType: textOf(body, 'type'),
    code: textOf(body, 'code') ?? null,
    param: textOf(body, 'param'),
    statusCode,
    requestId: textOf(body, 'requestId') ?? requestId,
    docUrl: textOf(body, 'docUrl'),
    retryable: fieldOf(body, 'retryable') === true,
    raw: body,
  };
  return new (classes[statusCode] ?? SvcApiError)(message, fields);
}

/**
 * Makes the error of a response of the card provider: `{ error: { type, code, message, param, doc_url } }`.
 */
export function errorOfProvider(
  statusCode: number,
  body: unknown,
  requestId: string | undefined,
): SvcError {
  const said = fieldOf(body, 'error');
  const message =
    textOf(said, 'message') ??
    `The answer was ${statusCode} without an error of the card provider; is providerBaseUrl right?`;
  const fields: ErrorFields = {
    wireType: textOf(said, 'type'),
    code: textOf(said, 'code') ?? null,
    param: textOf(said, 'param'),
    statusCode,
    requestId,
    docUrl: textOf(said, 'doc_url'),
    retryable: statusCode === 429 || statusCode >= 500,
    raw: said ?? body,
  };
  return new (classes[statusCode] ?? SvcApiError)(message, fields);
}

/** Makes the error of a call that may have been executed and must not be executed twice. */
export function unrepeatedError(error: SvcError): SvcError {
  const fields: ErrorFields = { ...error, cause: error.cause, retryable: false };
  const message = `${error.message} This call is not repeated, since it may have been done: look before you send it again.`;
  if (error instanceof SvcConnectionError) return new SvcConnectionError(message, fields);
  return new (classes[error.status ?? 0] ?? SvcApiError)(message, fields);
}

/** Returns a field of a value that may be an object. */
export function fieldOf(body: unknown, name: string): unknown {
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, name)) return undefined;
  return (body as Record<string, unknown>)[name];
}

function textOf(body: unknown, name: string): string | undefined {
  const value = fieldOf(body, name);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
