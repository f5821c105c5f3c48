export type { CreateSessionParams, CreateSessionResult } from './checkout-sessions.ts';
export type {
  Calls,
  CheckoutSession,
  EventType,
  ItemPurchased,
  Payment,
  Product,
  SessionStatus,
} from './contract-types.ts';
export {
  type ErrorType,
  SvcApiError,
  SvcAuthenticationError,
  SvcCardError,
  SvcConflictError,
  SvcConnectionError,
  SvcError,
  SvcGatewayError,
  SvcNotFoundError,
  SvcPermissionError,
  SvcRateLimitError,
  SvcSignatureVerificationError,
  SvcValidationError,
} from './errors.ts';
export type { ProviderEvent, WebhookEvent } from './events.ts';
export type { ApiVersion, Logger, SvcOptions } from './options.ts';
export { Svc } from './svc.ts';
export type { CallOptions, LastResponse } from './transport.ts';
