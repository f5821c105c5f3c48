export type { DisplayData, DisplayProduct } from './api/display-cache.ts';
export {
  type DetachedSession,
  type IntentOptions,
  type OpenShell,
  PaymentAPI,
  type PaymentPage,
} from './api/payment-api.ts';
export type {
  CallOptions,
  PaymentApiOptions,
  ProviderEntries,
  UnifiedCheckoutSession,
} from './api/session-api.ts';
export { SvcError, type SvcErrorType } from './api/svc-error.ts';
export type { ClaimPayload, DetachedDraft, SessionDraft, ShellDraft } from './api/two-phases.ts';
export type {
  CheckoutSession,
  CheckoutSessionStatus,
  ClaimCheckoutSession,
  CreateCheckoutSession,
  CreatedCheckoutSession,
  PaymentIntent,
  ProcessAnswer,
  ProcessBody,
  SetupIntent,
} from './api/wire.ts';
export { CardSetup } from './card-setup/card-setup.ts';
export type {
  CardSetupCallbacks,
  CardSetupLooks,
  CardSetupOptions,
  ChallengeOutcome,
  SetupCancel,
  SetupDecline,
  SetupResult,
  SetupSuccess,
} from './card-setup/card-setup-types.ts';
export type { ConfirmOptions, PaymentResult } from './payments/confirm-payment-types.ts';
export type { ExpressCheckout, ExpressCheckoutOptions } from './payments/express-checkout-types.ts';
export { mountExpressCheckout } from './payments/express-in-page.ts';
export { confirmPayment } from './payments/pay-in-page.ts';
