// The types of the calls between library and service. Types only: the build replaces this file's
// declaration by the same types written out, so that the package has no dependency.

import type { Rows } from '@svc/contract';
import type { InputOf, OutputOf } from '@svc/contract/rows/row';

export type {
  CheckoutSession,
  CheckoutSessionStatus,
  ClaimCheckoutSession,
  CreateCheckoutSession,
  CreatedCheckoutSession,
  ProcessAnswer,
} from '@svc/contract/checkout-sessions/checkout-sessions';
export type { SetupAnswer } from '@svc/contract/customers/card-setups';

export type {
  Appearance,
  ExpressMethod,
  FormErrorCode,
  FormField,
  FormHandshake,
  FormOptions,
  FromExpress,
  FromForm,
  LoadErrorReason,
  ToForm,
} from '@svc/contract/vault/form-messages';

/** The body of the process call. Contract §3, Process. */
export type ProcessBody = InputOf<Rows['processCheckoutSession']>['body'];

/** What the intent calls return with 200. Contract §3, Intents. */
export type PaymentIntent = AnswerBody<'createPaymentIntent'>;
export type SetupIntent = AnswerBody<'createSetupIntent'>;

type AnswerBody<K extends keyof Rows> = Extract<OutputOf<Rows[K]>, { body: object }>['body'];
