export { CardSetup } from './card-setup.ts';
export type {
  CardSetupCallbacks,
  CardSetupLooks,
  CardSetupOptions,
  ChallengeOutcome,
  SetupCancel,
  SetupDecline,
  SetupResult,
  SetupSuccess,
} from './card-setup-types.ts';
export type { ConfirmOptions, PaymentResult } from './confirm-payment-types.ts';
export type { DisplayData, DisplayProduct } from './display-cache.ts';
export type { ExpressCheckout, ExpressCheckoutOptions } from './express-checkout-types.ts';
export { mountExpressCheckout } from './express-in-page.ts';
export { confirmPayment } from './pay-in-page.ts';
export {
  type DetachedSession,
  type IntentWish,
  type OpenShell,
  PaymentAPI,
  type PaymentPage,
} from './payment-api.ts';
export type {
  PaymentApiOptions,
  ProviderEntries,
  UnifiedCheckoutSession,
  Wish,
} from './session-api.ts';
export { SvcError, type SvcErrorType } from './svc-error.ts';
export type { ClaimPayload, DetachedDraft, SessionDraft, ShellDraft } from './two-phases.ts';
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
} from './wire.ts';
