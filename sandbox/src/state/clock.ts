// The sandbox's own time: the machine's clock plus a shift, which `POST /_control/clock/advance` changes
// and which survives a restart. Listeners receive the new shift, so that the service's clock moves with it
// (Contract §13).
import { findFact, type Store, saveFact } from './store.ts';

export type ClockListener = { url: string; secret: string };

export type Clock = {
  nowMs: () => number;
  /** Whole seconds, the format of every `created`. */
  now: () => number;
  shiftMs: () => number;
  advance: (ms: number) => void;
};

const listenerTimeoutMs = 10_000;

/**
 * `startAt` in milliseconds is what a new store's clock reads first. Throws for a store whose clock or accounts
 * are there already: what happened in it would lie in its future.
 */
export const createClock = (store: Store, startAt?: number): Clock => {
  const kept = findFact(store, 'clock_shift_ms');
  let shift = Number(kept ?? '0');
  const nowMs = () => Date.now() + shift;
  if (startAt !== undefined) {
    if (kept !== undefined || store.one('select id from accounts limit 1')) {
      const reads = new Date(nowMs()).toISOString();
      throw new Error(`this file's clock has begun and reads ${reads}: only a new one is set`);
    }
    shift = startAt - Date.now();
    saveFact(store, 'clock_shift_ms', String(shift));
  }
  return {
    nowMs,
    now: () => Math.floor(nowMs() / 1000),
    shiftMs: () => shift,
    advance: (ms) => {
      shift += ms;
      saveFact(store, 'clock_shift_ms', String(shift));
    },
  };
};

/** Sends each listener the total shift, in order. Returns the message of the first one that refused. */
export const tellClockListeners = async (
  listeners: readonly ClockListener[],
  shiftMs: number,
): Promise<string | undefined> => {
  for (const listener of listeners) {
    try {
      const answer = await fetch(listener.url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${listener.secret}`,
        },
        body: JSON.stringify({ shiftMs }),
        redirect: 'error',
        signal: AbortSignal.timeout(listenerTimeoutMs),
      });
      const text = await answer.text();
      if (!answer.ok) return `${listener.url} answered ${answer.status}: ${text.slice(0, 500)}`;
    } catch (error) {
      return `${listener.url} could not be told: ${describeFailure(error)}`;
    }
  }
  return undefined;
};

const describeFailure = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
};
