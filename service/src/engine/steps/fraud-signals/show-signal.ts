import type { FraudWarning, PaymentReview } from '@svc/contract/payments/fraud-signals';
import type { FraudSignal } from '../../../domain/payments/dispute.ts';

const endOf = ({ isLive, version, createdAt, updatedAt }: FraudSignal) => ({
  livemode: isLive,
  version,
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
});

/** The warning of fraud as callers see it. Additions §2. */
export const showWarning = (warning: FraudSignal): FraudWarning => ({
  id: warning.id,
  object: 'fraud_warning',
  clientId: warning.clientId,
  paymentId: warning.paymentId,
  providerWarningId: warning.providerSignalId,
  fraudType: warning.reason,
  isActionable: warning.isOpen,
  warnedAt: warning.raisedAt.toISOString(),
  ...endOf(warning),
});

/** The review as callers see it. Additions §2. */
export const showReview = (review: FraudSignal): PaymentReview => ({
  id: review.id,
  object: 'review',
  clientId: review.clientId,
  paymentId: review.paymentId,
  providerReviewId: review.providerSignalId,
  isOpen: review.isOpen,
  openedReason: review.reason,
  closedReason: review.closedReason,
  openedAt: review.raisedAt.toISOString(),
  ...endOf(review),
});
