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
export type { DisplayData, DisplayProduct } from './display-cache.ts';
export {
  PaymentAPI,
  type PaymentPage,
  type ProviderEntries,
  type UnifiedCheckoutSession,
} from './payment-api.ts';
export { SvcError, type SvcErrorType } from './svc-error.ts';
export type {
  CheckoutSession,
  CheckoutSessionStatus,
  CreateCheckoutSession,
  CreatedCheckoutSession,
  ProcessAnswer,
  ProcessBody,
} from './wire.ts';
