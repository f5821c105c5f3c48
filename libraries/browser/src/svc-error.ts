// The one error that the library throws. Contract §1: `type` is one of the specification's three,
// the wire's own value stands in `wireType`.

export type SvcErrorType = 'validation_error' | 'api_error' | 'authentication_error';

export type SvcErrorFields = {
  readonly message?: string | undefined;
  /** The wire's error type, when the service answered one. */
  readonly wireType?: string | undefined;
  /** HTTP status; 0 when no answer came. */
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
};

export class SvcError extends Error {
  readonly type: SvcErrorType;
  readonly code: string | null;
  readonly wireType: string | null;
  readonly status: number;
  readonly requestId: string | null;
  readonly retryable: boolean;
  readonly retryAfter: number | null;
  readonly declineCode: string | null;
  readonly advice: string | null;
  readonly param: string | null;
  readonly errors: readonly { path: string; code: string; message: string }[];

  constructor(type: SvcErrorType, code: string | null, fields: SvcErrorFields = {}) {
    super(fields.message ?? code ?? type);
    this.name = 'SvcError';
    this.type = type;
    this.code = code;
    this.wireType = fields.wireType ?? null;
    this.status = fields.status ?? 0;
    this.requestId = fields.requestId ?? null;
    this.retryable = fields.retryable ?? false;
    this.retryAfter = fields.retryAfter ?? null;
    this.declineCode = fields.declineCode ?? null;
    this.advice = fields.advice ?? null;
    this.param = fields.param ?? null;
    this.errors = fields.errors ?? [];
  }
}

/** The specification's type of a status. Contract §1. */
export const typeOfStatus = (status: number): SvcErrorType =>
  status === 400 || status === 422
    ? 'validation_error'
    : status === 401 || status === 403
      ? 'authentication_error'
      : 'api_error';
