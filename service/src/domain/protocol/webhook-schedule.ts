// When a delivery is tried again, and when an endpoint is given up. Contract §7, Delivery.

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

/** Not longer: a receiver could park its deliveries for ever. */
const longestRetryAfterMs = 24 * hourMs;

const failingTooLongMs = 120 * hourMs;

/** Half of what disables an endpoint: then the merchant is told. */
const warningAfterMs = failingTooLongMs / 2;

/** The whole of one attempt, from the name server to the last byte of the answer. */
export const longestSendMs = 15 * secondMs;

/** How long one claim holds a delivery: well over the longest send. */
export const leaseMs = 30 * secondMs;

/** A claim that has waited this long is not begun: its lease could end during the send. */
export const latestStartMs = leaseMs - longestSendMs - 3 * secondMs;

/** An event waits at most this long for an earlier one of its resource. */
export const orderedForMs = 60 * secondMs;

/** How long a sandbox that delivers in another order holds every second event back. */
export const reorderedForMs = 3 * secondMs;

/** Attempts in flight per endpoint, so that a slow receiver delays nobody else; more once it is quick. */
export const firstInFlight = 4;

/** Attempts in flight at an endpoint that has answered many at once, quickly and well. */
export const mostInFlight = 32;

/** An answer that takes longer is slow. */
export const quickAnswerMs = 1 * secondMs;

/** An endpoint whose last answer was no success is tried with one delivery at a time. */
export const maxInFlightWhileFailing = 1;

export type FailedAttempt = {
  /** Attempts made, this one included. */
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

/** Why the endpoint must be disabled after this failure; null when it may go on. */
export function disabledBy(status: number | null, failingForMs: number): DisabledReason | null {
  if (status === 410) return 'gone';
  return failingForMs >= failingTooLongMs ? 'failing' : null;
}

/** Whether the merchant is to be told that the endpoint fails; once per stretch of failures. */
export function isWarningDue(failingForMs: number, warnedAt: Date | null): boolean {
  return warnedAt === null && failingForMs >= warningAfterMs;
}
