// The limits on attempts to pay one session, against trying stolen cards. Contract §10, per session.

export type AttemptLimits = {
  readonly processPerMinute: number;
  readonly processPerHour: number;
  /** How long no call is accepted after the last one of the hour. */
  readonly processPauseMinutes: number;
  /** After so many declined cards the session accepts no further one. */
  readonly sessionDeclines: number;
  /** Setup sessions of one customer in an hour. */
  readonly setupsPerHour: number;
  /** API tokens of one user in an hour. */
  readonly tokensPerHour: number;
};

/** A row of `session_calls`. */
export type SessionCalls = {
  readonly calledAt: readonly Date[];
  readonly pausedUntil: Date | null;
};

type LimitCount = {
  readonly calls: SessionCalls;
  readonly waitSeconds: number | null;
  /** The limit that was reached, else the nearest one. */
  readonly limit: number;
};

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

const secondsTo = (until: number, now: Date): number =>
  Math.max(1, Math.ceil((until - now.getTime()) / 1000));

/**
 * Counts a call. `waitSeconds` is set when the call is refused. Refused calls are not counted: the
 * pause is the whole penalty, and after it the hour starts again.
 */
export function countCall(calls: SessionCalls, limits: AttemptLimits, now: Date): LimitCount {
  const at = now.getTime();
  const { pausedUntil } = calls;
  const { processPerMinute, processPerHour } = limits;
  if (pausedUntil && pausedUntil > now) {
    return { calls, limit: processPerHour, waitSeconds: secondsTo(pausedUntil.getTime(), now) };
  }
  const calledWithin = (ms: number) => calls.calledAt.filter((each) => each.getTime() > at - ms);
  const lastHour = calledWithin(hourMs);
  if (lastHour.length >= processPerHour) {
    const untilMs = at + limits.processPauseMinutes * minuteMs;
    return {
      calls: { calledAt: [], pausedUntil: new Date(untilMs) },
      limit: processPerHour,
      waitSeconds: secondsTo(untilMs, now),
    };
  }
  const lastMinute = calledWithin(minuteMs);
  const oldest = lastMinute[lastMinute.length - processPerMinute];
  if (oldest) {
    return {
      calls: { calledAt: lastHour, pausedUntil: null },
      limit: processPerMinute,
      waitSeconds: secondsTo(oldest.getTime() + minuteMs, now),
    };
  }
  const counted = { calledAt: [...lastHour, now], pausedUntil: null };
  return { calls: counted, limit: processPerMinute, waitSeconds: null };
}
