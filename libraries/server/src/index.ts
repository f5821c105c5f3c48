export type { CreateSessionParams, CreateSessionResult } from './checkout-sessions.ts';
export type {
  ActivatedPaymentMethod,
  ApiToken,
  ApiTokenEventObject,
  Calls,
  CheckoutSession,
  CompletedCheckout,
  CompletedSetup,
  DeletedPaymentMethod,
  Dispute,
  EventDataByType,
  EventType,
  ExpiredCheckout,
  ForgottenCustomer,
  FraudWarning,
  ItemPurchased,
  Lists,
  Payment,
  PaymentMethod,
  PaymentReview,
  Product,
  RefundRequest,
  ReplacedPaymentMethod,
  SessionStatus,
  Subscription,
  UpdatedCustomer,
  WebhookAttempt,
  WebhookEndpoint,
  WebhookEndpointEventObject,
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
export type { Logger, RequestEvent, ResponseEvent } from './listeners.ts';
export type { ListParams } from './lists.ts';
export type { ApiVersion, SvcOptions } from './options.ts';
export type { List } from './paging.ts';
export type {
  CreateCustomerParams,
  ProviderCustomer,
  ProviderLineItem,
  ProviderPrice,
  ProviderSession,
  UpdateCustomerParams,
} from './provider-types.ts';
export { type RequestOptions, Svc } from './svc.ts';
export type { CallOptions, LastResponse } from './transport.ts';
