import { describe, expect, it } from 'vitest';
import { Refusal } from '../../domain/protocol/refusal.ts';
import { errorAnswer } from './errors.ts';

const docUrl = (code: ConstructorParameters<typeof Refusal>[0]) =>
  errorAnswer(new Refusal(code), { requestId: 'req_1', baseUrl: 'http://svc.test' }).body.docUrl;

describe('docUrl', () => {
  it('leads to the entry of the code', () => {
    expect(docUrl('customer_not_found')).toBe('http://svc.test/docs#error-customer_not_found');
  });

  it('names nothing that the answer does not name: a null code leads to the list', () => {
    expect(docUrl('payment_method_id_invalid')).toBe('http://svc.test/docs#errors');
  });
});
