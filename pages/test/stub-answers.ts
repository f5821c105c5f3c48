// The responses of the stub server, in the contract's shapes.

import type { IncomingMessage } from 'node:http';
import type { CheckoutSession } from '@svc/contract/checkout-sessions/checkout-sessions';
import type { PaymentMethod } from '@svc/contract/customers/payment-methods';
import { errorType } from '@svc/contract/errors/error-types';
import { type ErrorCode, errorEntry } from '@svc/contract/errors/errors';

export const sessionId = '01990000-0000-7000-8000-00000000c0de';
export const clientId = '01990000-0000-7000-8000-0000000000cc';
export const userId = '01990000-0000-7000-8000-0000000000aa';
export const paymentId = '01990000-0000-7000-8000-000000000bee';
export const nonce = 'nonce-of-the-session-in-base64url-0123456789';

/** A merchant that has set only a name. */
export const sessionWithoutBrand = {
  logoUrl: null,
  supportEmail: null,
  termsUrl: null,
  brandColor: null,
};

export type ReceivedRequest = {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Record<string, unknown> | null;
};

export type Answer =
  | {
      readonly status: number;
      readonly body: unknown;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | 'break off';
type Attempt = CheckoutSession['latestTransactionAttempt'];
export type StubStatus = {
  readonly status: CheckoutSession['status'];
  readonly attempt?: Attempt;
  readonly authorizationExpiresAt?: string;
};

export const attempt = (result: string, declineCode: string | null = null, id = 'a1'): Attempt => ({
  id,
  result: result as NonNullable<Attempt>['result'],
  declineCode,
  createdAt: '2026-01-05T10:00:00.000Z',
});

/** A refusal in the service's format. */
export function refusal(code: ErrorCode, more: object = {}): Answer {
  const { status, message, retryable = false } = errorEntry(code);
  const type = errorType(status);
  const fixed = { requestId: 'req_01J8Z6Q4W3', docUrl: `/docs#${code}` };
  return { status, body: { type, code, message, status, retryable, ...fixed, ...more } };
}

export const success = (status: 'succeeded' | 'authorized', more: object = {}): Answer => ({
  status: 200,
  body: { type: 'success', status, sessionId, paymentId, redirectUrl: null, ...more },
});

/** A saved card, whose id ends with its last four digits. */
export const savedCard = (lastFour: string, more: Partial<PaymentMethod> = {}): PaymentMethod => ({
  id: `01990000-0000-7000-8000-00000000${lastFour}`,
  type: 'card',
  brand: 'visa',
  lastFour,
  expiryMonth: 12,
  expiryYear: 2040,
  payerEmail: null,
  status: 'active',
  createdAt: '2026-01-05T10:00:00.000Z',
  gateway: { id: '01990000-0000-7000-8000-0000000000ee', provider: 'cardprovider' },
  ...more,
});

/** The response of a setup session once its card is verified. */
export const savedAnswer: Answer = {
  status: 200,
  body: { type: 'success', sessionId, paymentMethodId: savedCard('4242').id, redirectUrl: null },
};
