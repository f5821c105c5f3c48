// What every response has, and what every error states. Contract §1.

import type { Reply } from './api-fixture.ts';

type Judge = { same(what: string, service: unknown, model: unknown): void };

export function judgeShape(scenario: Judge, { status, body, headers }: Reply): void {
  const requestId = String(headers['request-id']);
  scenario.same('Request-Id', /^req_[0-9a-z]{26}$/i.test(requestId), true);
  if (status < 400) return;
  const { type, code, message, retryable, docUrl } = body;
  const texts = [type, code, message, docUrl].every((one) => typeof one === 'string');
  scenario.same('an error object', [texts, typeof retryable], [true, 'boolean']);
  scenario.same('what an error says of itself', [body.status, body.requestId], [status, requestId]);
  const asksToWait =
    status === 503 ||
    code === 'payment_operation_in_progress' ||
    code === 'gateway_outcome_unknown';
  scenario.same(`Retry-After of ${code}`, headers['retry-after'] !== undefined, asksToWait);
}
