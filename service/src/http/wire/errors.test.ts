import { type ErrorCode, errors } from '@svc/contract/errors/errors';
import { describe, expect, it } from 'vitest';
import { Refusal } from '../../domain/protocol/refusal.ts';
import { errorAnswer } from './errors.ts';

const bodyOf = (code: ErrorCode) =>
  errorAnswer(new Refusal(code), { requestId: 'req_1', baseUrl: 'http://svc.test' }).body;
const docUrl = (code: ErrorCode) => bodyOf(code).docUrl;

describe('docUrl', () => {
  it('leads to the entry of the code', () => {
    expect(docUrl('customer_not_found')).toBe('http://svc.test/docs#error-customer_not_found');
  });

  it('names nothing that the answer does not name: a null code leads to the list', () => {
    expect(docUrl('payment_method_id_invalid')).toBe('http://svc.test/docs#errors');
  });
});

describe('type', () => {
  const byStatus: Readonly<Record<number, string>> = {
    400: 'validation_error',
    401: 'authentication_error',
    402: 'card_error',
    403: 'permission_error',
    404: 'not_found_error',
    405: 'validation_error',
    409: 'conflict_error',
    413: 'validation_error',
    415: 'validation_error',
    422: 'validation_error',
    429: 'rate_limit_error',
    500: 'api_error',
    502: 'gateway_error',
    503: 'api_error',
  };

  it('Contract §1 validation_error, authentication_error, permission_error, not_found_error, conflict_error, card_error, rate_limit_error, gateway_error and api_error: by the status', () => {
    const codes = Object.keys(errors) as ErrorCode[];
    const seen = codes.map((code) => [Number(bodyOf(code).status), bodyOf(code).type] as const);
    for (const [status, type] of seen) expect([status, type]).toEqual([status, byStatus[status]]);
    expect(new Set(seen.map(([status]) => status)).size).toBe(Object.keys(byStatus).length);
  });
});
