// The detachment of a saved method, step by step: what a failure means for the detachment, and for the
// caller. Spec: Saved payment methods, deletion behaviour. Contract §5. docs/decisions/saved-cards.md.

import type { DeletionReason, DeletionResolution } from '@svc/contract/customers/payment-methods';
import type { ErrorCode } from '@svc/contract/errors/errors';

/** The last step that is done, in this order. */
export const detachmentSteps = [
  'claimed',
  'replacement_chosen',
  'subscriptions_moved',
  'default_moved',
  'verified',
  'vault_wiped',
  'detached',
  'removed',
] as const;
export type DetachmentStep = (typeof detachmentSteps)[number];

/** A row of `payment_method_detachments`. */
export type Detachment = {
  readonly paymentMethodId: string;
  readonly clientId: string;
  readonly step: DetachmentStep;
  readonly state: 'running' | 'failed' | 'removed';
  readonly replacementId: string | null;
  /** What was moved to the replacement; it is moved back when the detachment fails. */
  readonly movedSubscriptions: readonly string[];
  readonly hasMovedDefault: boolean;
  readonly wasProviderDefault: boolean;
  /**
   * The customer's version at the start, or after the detachment's own change: a higher one means that
   * somebody else has chosen.
   */
  readonly customerVersion: number | null;
  readonly failureReason: string | null;
  /** Goes up with each lease holder; an earlier lease holder writes nothing any more. */
  readonly epoch: number;
  readonly leaseOwner: string | null;
  readonly leaseUntil: Date | null;
  /** How often the detach was sent, or may have been. */
  readonly tries: number;
};

/** Whether another caller holds the detachment. */
export const isHeld = (
  { state, leaseOwner, leaseUntil }: Detachment,
  me: { readonly owner: string; readonly now: Date },
): boolean =>
  state === 'running' && leaseUntil !== null && leaseUntil > me.now && leaseOwner !== me.owner;

/** Why a detachment could not continue. */
export type DetachmentFailure =
  | 'no_replacement'
  | 'provider_unreadable'
  | 'replacement_gone'
  | 'kept_for_another'
  | 'default_refused'
  | 'default_in_doubt'
  | 'funding_unreadable'
  | 'funding_not_moved'
  | 'vault_in_doubt'
  | 'detach_refused'
  | 'detach_not_done'
  | 'detach_in_doubt'
  | 'still_attached'
  | 'detached_unreadable';

export type Meaning = {
  readonly code: ErrorCode;
  /** Only with `payment_method_deletion_failed`. */
  readonly reason?: DeletionReason;
  readonly resolution?: DeletionResolution;
  readonly retrySafe?: boolean;
};

const failedMeaning = (
  reason: DeletionReason,
  resolution: DeletionResolution,
  retrySafe = true,
): Meaning => ({ code: 'payment_method_deletion_failed', reason, resolution, retrySafe });

const meanings: Readonly<Record<DetachmentFailure, Meaning>> = {
  no_replacement: { code: 'payment_method_in_use' },
  provider_unreadable: failedMeaning('verification_failed', 'retry_delete'),
  // The replacement is not a card of the customer's at the provider any more.
  replacement_gone: failedMeaning('provider_reassignment_failed', 'update_funding_manually'),
  kept_for_another: failedMeaning('verification_failed', 'contact_support'),
  default_refused: failedMeaning('provider_reassignment_failed', 'contact_support'),
  default_in_doubt: failedMeaning('provider_reassignment_failed', 'retry_delete'),
  funding_unreadable: failedMeaning('verification_failed', 'retry_delete'),
  funding_not_moved: failedMeaning('verification_failed', 'retry_delete'),
  vault_in_doubt: failedMeaning('vault_cleanup_failed', 'retry_delete'),
  detach_refused: failedMeaning('provider_detach_failed', 'contact_support'),
  detach_not_done: failedMeaning('provider_detach_failed', 'retry_delete'),
  detach_in_doubt: failedMeaning('provider_detach_failed', 'retry_delete'),
  still_attached: failedMeaning('verification_failed', 'retry_delete'),
  // Whether the card is removed is not known before the provider can be read.
  detached_unreadable: failedMeaning('verification_failed', 'contact_support', false),
};

/** The answer to the caller who asked for the detachment. */
export const meaningOf = (failure: DetachmentFailure): Meaning => meanings[failure];

/**
 * Whether the failure ends the detachment, and the method stays as it was. Once a detach may take
 * effect at the provider, the detachment can only go forward. If the only detach that was sent was
 * refused, or certainly not done, the method stays.
 */
export function endsDetachment({ step, tries }: Detachment, failure: DetachmentFailure): boolean {
  if (step === 'detached' || step === 'removed') return false;
  const isUndone = failure === 'detach_refused' || failure === 'detach_not_done';
  return tries === 0 || (tries === 1 && isUndone);
}

/** Puts the detachment back to the step before the default is moved, if it is later. */
export const beforeDefault = (detachment: Detachment): Detachment =>
  detachmentSteps.indexOf(detachment.step) > detachmentSteps.indexOf('subscriptions_moved')
    ? { ...detachment, step: 'subscriptions_moved' }
    : detachment;

const firstPauseMs = 2000;
const longestPauseMs = 15 * 60_000;

/**
 * The pause before a detachment that can only go forward is tried again, in milliseconds: doubled each
 * time, at most 15 minutes.
 */
export const pauseMs = (tries: number): number =>
  Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(Math.max(tries - 1, 0), 20));
