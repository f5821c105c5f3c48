// Replaces timers and the monotonic clock for actors by the clock of their scheduler; all other code
// keeps the machine's.

import { currentActor } from './scheduler.ts';

const realTimeout = globalThis.setTimeout;
const realClear = globalThis.clearTimeout;
const realNow = performance.now.bind(performance);

class Timer {
  isCleared = false;
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
}

function startTimer(work: (...given: unknown[]) => void, ms = 0, ...given: unknown[]) {
  const actor = currentActor();
  if (!actor) return realTimeout(work, ms, ...given);
  const timer = new Timer();
  const wake = () => {
    if (!timer.isCleared) work(...given);
  };
  // The timers of a dead actor fire at once, and the gate that it reaches then ends it.
  const { scheduler } = actor;
  scheduler.gate('sleep', { wakeAt: scheduler.clock.sleep(actor, ms) }).then(wake, wake);
  return timer;
}

function clearTimer(timer: unknown): void {
  if (timer instanceof Timer) timer.isCleared = true;
  else realClear(timer as NodeJS.Timeout);
}

let takers = 0;

/**
 * Replaces the global timers and `performance.now`, until every caller has called the function that it was
 * returned.
 */
export function takeTimers(): () => void {
  takers += 1;
  const replaced = { setTimeout: Object.assign(startTimer, realTimeout), clearTimeout: clearTimer };
  Object.assign(globalThis, replaced);
  performance.now = () => {
    const actor = currentActor();
    return actor ? actor.scheduler.clock.now(actor) : realNow();
  };
  return () => {
    takers -= 1;
    if (takers > 0) return;
    Object.assign(globalThis, { setTimeout: realTimeout, clearTimeout: realClear });
    performance.now = realNow;
  };
}
