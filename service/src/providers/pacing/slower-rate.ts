// How much of a rate is used after the provider has refused calls because of it: a part less with
// each refusal, and a little more with each second without one.

/** The factor of each refusal, the lowest factor, and the part of the rate that each second restores. */
const slower = 0.8;
const slowest = 0.2;
const regainedPerSecond = 0.1;
const [leastPauseMs, mostPauseMs] = [250, 4000];
/** A refusal so soon after a pause shows that the pause was too short. */
const soonMs = 500;

export class SlowerRate {
  #value = 1;
  #at = 0;
  #pauseMs = 0;
  #pausedUntil = Number.NEGATIVE_INFINITY;

  /** From 0.2 to 1. */
  factor(now: number): number {
    return Math.min(1, this.#value + ((now - this.#at) / 1000) * regainedPerSecond);
  }

  /**
   * Returns for how long nothing is sent; null for the answer to a call that was sent before the
   * pause began. `askedMs` is the provider's own word.
   */
  refuse(now: number, askedMs: number | null): number | null {
    if (now < this.#pausedUntil) return null;
    const isSoon = now < this.#pausedUntil + soonMs;
    this.#pauseMs = isSoon ? Math.min(mostPauseMs, this.#pauseMs * 2) : leastPauseMs;
    const pauseMs = askedMs ?? this.#pauseMs;
    this.#pausedUntil = now + pauseMs;
    this.#value = Math.max(slowest, this.factor(now) * slower);
    this.#at = now;
    return pauseMs;
  }
}
