// One clock for a schedule: the database's svc_clock(), the provider's time, and the timers and
// monotonic clock of every actor. It moves only when the scheduler moves it.

import type pg from 'pg';
import type { Actor, ActorClock } from '../kit/scheduler.ts';

/** The time at which every schedule begins. */
const startMs = Date.UTC(2026, 4, 4, 9);

/**
 * Replaces the database's clock by one that does not use the machine's time. Run once, as the
 * owner.
 */
export const virtualClock = `create or replace function svc_clock() returns timestamptz
  language sql volatile
  as $$ select timestamptz '${new Date(startMs).toISOString()}' + shift from clock_shift $$`;

export class VirtualTime implements ActorClock {
  ms = 0;
  readonly #monitor: pg.Client;

  constructor(monitor: pg.Client) {
    this.#monitor = monitor;
  }

  nowMs(): number {
    return startMs + this.ms;
  }

  now(): number {
    return this.ms;
  }

  sleep(_: Actor, ms: number): number {
    return this.ms + ms;
  }

  async moveTo(ms: number): Promise<void> {
    this.ms = ms;
    await this.#monitor.query({
      name: 'move_clock',
      text: 'update clock_shift set shift = make_interval(secs => $1::float8 / 1000)',
      values: [ms],
    });
  }
}

const realDate = Date.now;

/** Replaces the provider's clock, because the provider runs in this process. */
export function takeDate(time: VirtualTime): () => void {
  Date.now = () => time.nowMs();
  return () => {
    Date.now = realDate;
  };
}
