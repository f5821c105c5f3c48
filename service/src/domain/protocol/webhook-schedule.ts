// When a delivery is retried, and when an endpoint is disabled. Contract §7, Delivery.

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

/** Pauses between attempts; the first attempt is made at once. */
const pausesMs = [
  5 * secondMs,
  5 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  5 * hourMs,
  10 * hourMs,
  14 * hourMs,
  20 * hourMs,
  24 * hourMs,
];

export const maxAttempts = pausesMs.length + 1;

/**
 * The longest Retry-After that is accepted; with a longer one a receiver could postpone its
 * deliveries for ever.
 */
const longestRetryAfterMs = 24 * hourMs;

const failingTooLongMs = 120 * hourMs;

/** Half the time after which an endpoint is disabled: then the merchant is warned. */
const warningAfterMs = failingTooLongMs / 2;

/** The longest time of one attempt, from the name lookup to the last byte of the answer. */
export const longestSendMs = 15 * secondMs;

/** How long one claim holds a delivery: well over the longest send. */
export const leaseMs = 30 * secondMs;

/** A claim that has waited this long is not sent: its lease could expire during the send. */
export const latestStartMs = leaseMs - longestSendMs - 3 * secondMs;

/** The longest that an event waits for an earlier one of its resource. */
export const orderedForMs = 60 * secondMs;

/** How long a sandbox endpoint with the fault `reorder` holds every second event back. */
export const reorderedForMs = 3 * secondMs;

/** Attempts in flight per endpoint, so that a slow receiver delays no others; a quick endpoint gets more. */
export const firstInFlight = 4;

/** The most attempts in flight at an endpoint that has answered many, quickly and well. */
export const mostInFlight = 32;

/** An answer that takes longer than this is slow. */
export const quickAnswerMs = 1 * secondMs;

/** An endpoint whose last answer was no success gets one delivery at a time. */
export const maxInFlightWhileFailing = 1;

export type FailedAttempt = {
  /** The number of attempts, including this one. */
  readonly attempts: number;
  readonly retryAfterSeconds: number | null;
  /** Random, from 0 to 1: spreads the retries of many deliveries over ±20 %. */
  readonly spread: number;
};

/** Milliseconds until the next attempt; null after the last one. */
export function pauseAfterFailure(failed: FailedAttempt): number | null {
  const planned = pausesMs[failed.attempts - 1];
  if (planned === undefined) return null;
  const spreadMs = Math.round(planned * (0.8 + 0.4 * failed.spread));
  const askedMs = Math.min((failed.retryAfterSeconds ?? 0) * secondMs, longestRetryAfterMs);
  return Math.max(spreadMs, askedMs);
}

export type DisabledReason = 'gone' | 'failing';

/** Why the endpoint must be disabled after this failure; null when it stays enabled. */
export function disabledReason(status: number | null, failingForMs: number): DisabledReason | null {
  if (status === 410) return 'gone';
  return failingForMs >= failingTooLongMs ? 'failing' : null;
}

/** Whether the merchant has to be warned that the endpoint fails: once in each series of failures. */
export function isWarningDue(failingForMs: number, warnedAt: Date | null): boolean {
  return warnedAt === null && failingForMs >= warningAfterMs;
}
