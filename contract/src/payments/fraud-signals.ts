// What warns of a payment before any dispute: the card's bank reports fraud, or the provider holds the
// payment up for a person to review. Neither moves money. Additions §2.

import { type Static, Type } from 'typebox';
import { component, instant, nullable, oneOf, uuid } from '../rows/schema.ts';

const common = {
  clientId: uuid(),
  paymentId: uuid({ description: 'The purchase that it is about.' }),
};
const times = {
  livemode: Type.Boolean(),
  version: Type.Integer({ description: 'Rises by one with each change.' }),
  createdAt: instant(),
  updatedAt: instant(),
};

export const FraudWarning = component('FraudWarning', {
  id: uuid(),
  object: oneOf(['fraud_warning']),
  ...common,
  providerWarningId: Type.String(),
  fraudType: Type.String({
    description: "The provider's word.",
  }),
  isActionable: Type.Boolean({
    description:
      'The provider’s judgment: true while the payment is neither disputed nor fully refunded, so that a refund may still help.',
  }),
  warnedAt: instant("The provider's time."),
  ...times,
});
export type FraudWarning = Static<typeof FraudWarning>;

export const PaymentReview = component('PaymentReview', {
  id: uuid(),
  object: oneOf(['review']),
  ...common,
  providerReviewId: Type.String(),
  isOpen: Type.Boolean(),
  openedReason: Type.String({
    description: "The provider's word: `rule` or, for a person, `manual`.",
  }),
  closedReason: nullable(
    Type.String({
      description: "The provider's word, such as `approved` or `refunded_as_fraud`.",
    }),
  ),
  openedAt: instant("The provider's time."),
  ...times,
});
export type PaymentReview = Static<typeof PaymentReview>;

/** What a list of payments may be limited to. */
export const fraudSignalKinds = ['warning', 'review'] as const;
export type FraudSignalKind = (typeof fraudSignalKinds)[number];
