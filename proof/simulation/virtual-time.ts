// One clock for a schedule: the database's svc_clock(), the provider's time, and the timers and
// monotonic clock of every actor. It moves only when the scheduler moves it.

import type pg from 'pg';
import { currentActor, type Scheduler } from './scheduler.ts';

/** The time at which every schedule begins. */
export const startMs = Date.UTC(2026, 4, 4, 9);

/**
 * Replaces the database's clock by one that does not use the machine's time. Run once, as the
 * owner.
 */
export const virtualClock = `create or replace function svc_clock() returns timestamptz
  language sql volatile
  as $$ select timestamptz '${new Date(startMs).toISOString()}' + shift from clock_shift $$`;

export class VirtualTime {
  ms = 0;
  readonly #monitor: pg.Client;

  constructor(monitor: pg.Client) {
    this.#monitor = monitor;
  }

  nowMs(): number {
    return startMs + this.ms;
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

const realTimeout = globalThis.setTimeout;
const realClear = globalThis.clearTimeout;
const realNow = performance.now.bind(performance);
const realDate = Date.now;

class Timer {
  isCleared = false;
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
}

/**
 * Puts the timers and the monotonic clock of actors under the scheduler's control; all other code
 * keeps the machine's. Returns a function that undoes it.
 */
export function replaceTimers(time: VirtualTime, scheduler: Scheduler): () => void {
  const schedule = (work: (...given: unknown[]) => void, ms = 0, ...given: unknown[]) => {
    if (!currentActor()) return realTimeout(work, ms, ...given);
    const timer = new Timer();
    const wake = () => {
      if (!timer.isCleared) work(...given);
    };
    // The timers of a dead actor fire at once, and the gate that it reaches then ends it.
    scheduler.gate(`sleep ${ms}`, { wakeAt: time.ms + ms }).then(wake, wake);
    return timer;
  };
  const clear = (timer: unknown) => {
    if (timer instanceof Timer) timer.isCleared = true;
    else realClear(timer as NodeJS.Timeout);
  };
  Object.assign(globalThis, { setTimeout: schedule, clearTimeout: clear });
  performance.now = () => (currentActor() ? time.ms : realNow());
  // Also replaces the provider's clock, because the provider runs in this process.
  Date.now = () => time.nowMs();
  return () => {
    Object.assign(globalThis, { setTimeout: realTimeout, clearTimeout: realClear });
    performance.now = realNow;
    Date.now = realDate;
  };
}
