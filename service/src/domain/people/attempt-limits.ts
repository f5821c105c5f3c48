// How often one session may be paid: the brake on trying stolen cards. Contract §10, per session.

export type AttemptLimits = {
  readonly processPerMinute: number;
  readonly processPerHour: number;
  /** After the hour's last one nothing is taken for this long. */
  readonly processPauseMinutes: number;
  /** So many declined cards, and the session takes no further one. */
  readonly sessionDeclines: number;
  /** So many setup sessions of one customer in an hour. */
  readonly setupsPerHour: number;
  /** So many API tokens of one user in an hour. */
  readonly tokensPerHour: number;
};

/** A row of `session_calls`. */
export type SessionCalls = {
  readonly calledAt: readonly Date[];
  readonly pausedUntil: Date | null;
};

type Counted = {
  readonly calls: SessionCalls;
  readonly waitSeconds: number | null;
  /** The one that was reached, else the one that is nearest. */
  readonly limit: number;
};

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

const secondsTo = (until: number, now: Date): number =>
  Math.max(1, Math.ceil((until - now.getTime()) / 1000));

/**
 * Counts a call. `waitSeconds` is set when it is refused, and refused calls are not counted: the
 * pause is the whole penalty, and after it the hour starts anew.
 */
export function countCall(calls: SessionCalls, limits: AttemptLimits, now: Date): Counted {
  const at = now.getTime();
  const { pausedUntil } = calls;
  const { processPerMinute, processPerHour } = limits;
  if (pausedUntil && pausedUntil > now) {
    return { calls, limit: processPerHour, waitSeconds: secondsTo(pausedUntil.getTime(), now) };
  }
  const within = (ms: number) => calls.calledAt.filter((each) => each.getTime() > at - ms);
  const lastHour = within(hourMs);
  if (lastHour.length >= processPerHour) {
    const until = at + limits.processPauseMinutes * minuteMs;
    return {
      calls: { calledAt: [], pausedUntil: new Date(until) },
      limit: processPerHour,
      waitSeconds: secondsTo(until, now),
    };
  }
  const lastMinute = within(minuteMs);
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
