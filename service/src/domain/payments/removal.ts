// The removal of a saved method, step by step: what a failure means for it, and for who asked. Spec:
// Saved payment methods, deletion behaviour. Contract §5. Decision 0054.

import type { ErrorCode } from '@svc/contract/errors';
import type { DeletionReason, DeletionResolution } from '@svc/contract/payment-methods';

/** Done so far, in this order. */
export const removalSteps = [
  'claimed',
  'replacement_chosen',
  'subscriptions_moved',
  'default_moved',
  'verified',
  'vault_wiped',
  'detached',
  'removed',
] as const;
export type RemovalStep = (typeof removalSteps)[number];

/** A row of `payment_method_removals`. */
export type Removal = {
  readonly paymentMethodId: string;
  readonly clientId: string;
  readonly step: RemovalStep;
  readonly state: 'running' | 'failed' | 'removed';
  readonly replacementId: string | null;
  /** What it moved to the replacement; put back where it fails. */
  readonly movedSubscriptions: readonly string[];
  readonly hasMovedDefault: boolean;
  readonly wasProviderDefault: boolean;
  /** The customer's version that it began with, or left: a higher one is somebody's own choice. */
  readonly customerVersion: number | null;
  readonly failureReason: string | null;
  /** Rises with each holder: whoever held it before writes nothing any more. */
  readonly epoch: number;
  readonly leaseOwner: string | null;
  readonly leaseUntil: Date | null;
  /** How often the detach was sent, or may have been. */
  readonly tries: number;
};

/** Whether somebody else is at work on it. */
export const isHeld = (
  { state, leaseOwner, leaseUntil }: Removal,
  me: { readonly owner: string; readonly now: Date },
): boolean =>
  state === 'running' && leaseUntil !== null && leaseUntil > me.now && leaseOwner !== me.owner;

/** What keeps a removal from going on. */
export type RemovalFailure =
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
  /** Of `payment_method_deletion_failed` alone. */
  readonly reason?: DeletionReason;
  readonly resolution?: DeletionResolution;
  readonly retrySafe?: boolean;
};

const failed = (
  reason: DeletionReason,
  resolution: DeletionResolution,
  retrySafe = true,
): Meaning => ({ code: 'payment_method_deletion_failed', reason, resolution, retrySafe });

const meanings: Readonly<Record<RemovalFailure, Meaning>> = {
  no_replacement: { code: 'payment_method_in_use' },
  provider_unreadable: failed('verification_failed', 'retry_delete'),
  // The one that would take over is no card of the customer's at the provider any more.
  replacement_gone: failed('provider_reassignment_failed', 'update_funding_manually'),
  kept_for_another: failed('verification_failed', 'contact_support'),
  default_refused: failed('provider_reassignment_failed', 'contact_support'),
  default_in_doubt: failed('provider_reassignment_failed', 'retry_delete'),
  funding_unreadable: failed('verification_failed', 'retry_delete'),
  funding_not_moved: failed('verification_failed', 'retry_delete'),
  vault_in_doubt: failed('vault_cleanup_failed', 'retry_delete'),
  detach_refused: failed('provider_detach_failed', 'contact_support'),
  detach_not_done: failed('provider_detach_failed', 'retry_delete'),
  detach_in_doubt: failed('provider_detach_failed', 'retry_delete'),
  still_attached: failed('verification_failed', 'retry_delete'),
  // Removed or not: nobody can tell before the provider can be read.
  detached_unreadable: failed('verification_failed', 'contact_support', false),
};

/** What a failure means to who asked for the removal. */
export const meaningOf = (failure: RemovalFailure): Meaning => meanings[failure];

/**
 * Whether the method stays as it was. Not once a detach may take effect at the provider: from then on
 * the only way is forward. That the only one sent was refused, or surely not done, means that it stays.
 */
export function endsRemoval({ step, tries }: Removal, failure: RemovalFailure): boolean {
  if (step === 'detached' || step === 'removed') return false;
  const isUndone = failure === 'detach_refused' || failure === 'detach_not_done';
  return tries === 0 || (tries === 1 && isUndone);
}

/** At the latest where the default has still to be moved. */
export const beforeDefault = (removal: Removal): Removal =>
  removalSteps.indexOf(removal.step) > removalSteps.indexOf('subscriptions_moved')
    ? { ...removal, step: 'subscriptions_moved' }
    : removal;

const firstPauseMs = 2000;
const longestPauseMs = 15 * 60_000;

/** Until a removal that can only go forward is tried again: twice as long each time. */
export const pauseMs = (tries: number): number =>
  Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(Math.max(tries - 1, 0), 20));
