// One flat object for every error. Contract §1.

import { errorType } from '@svc/contract/errors/error-types';
import { type ErrorCode, errorEntry } from '@svc/contract/errors/errors';
import { Refusal } from '../../domain/protocol/refusal.ts';
import { isUnavailable } from '../../engine/is-unavailable.ts';

export type ErrorAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
};

/** What a code says of a call that changes nothing, where its own message speaks of an effect. */
const readMessages: Partial<Record<ErrorCode, string>> = {
  service_unavailable: 'The service cannot answer now. Nothing was changed: repeat the call.',
};

type AnswerContext = {
  readonly requestId: string;
  readonly baseUrl: string;
  /** Replaces the code's own status when HTTP requires another. */
  readonly status?: number;
  /** True for a call that changes nothing. */
  readonly isRead?: boolean;
};

/** Returns the response for a refusal. */
export function errorAnswer(refusal: Refusal, context: AnswerContext): ErrorAnswer {
  const { code } = refusal;
  const ofRead =
    context.isRead && refusal.facts.message === undefined ? readMessages[code] : undefined;
  const { headers = {}, retryAfter, message: _, errors, ...facts } = refusal.facts;
  const entry = errorEntry(code);
  const status = context.status ?? entry.status;
  const retryAfterSeconds = retryAfter ?? entry.retryAfter;
  return {
    status,
    headers: {
      ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
      ...(code === 'authentication_required' ? { 'www-authenticate': challenge } : {}),
      ...headers,
    },
    body: {
      type: errorType(entry.status),
      code: entry.isUnnamed ? null : code,
      message: ofRead ?? refusal.message,
      status,
      requestId: context.requestId,
      retryable: entry.retryable === true,
      ...facts,
      // Each field's error has its own code, which an unnamed refusal cannot have.
      ...(errors && !entry.isUnnamed ? { errors } : {}),
      // An unnamed code has no entry to look up.
      docUrl: `${context.baseUrl}/docs#${entry.isUnnamed ? 'errors' : `error-${code}`}`,
    },
  };
}

/** The challenge of a 401. RFC 7617 §2.1. */
const challenge = 'Basic realm="svc", charset="UTF-8"';

const byFastifyCode: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'body_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'invalid_body',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'invalid_body',
};

/** Returns the refusal that a caller gets for an error; `internal_error` for everything unexpected. */
export function toRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  const { code = '', statusCode = 500 } = error as { code?: string; statusCode?: number };
  const known = byFastifyCode[code];
  if (known) return new Refusal(known);
  if (code.startsWith('FST_') && statusCode < 500) return new Refusal('invalid_request');
  if (isUnavailable(error)) return new Refusal('service_unavailable');
  return new Refusal('internal_error');
}
