// How often a device asks for its token. RFC 8628 §3.5: a device that asks too soon gets slow_down,
// and must wait five seconds more from then on. Each process counts for itself, like the budgets.

import { digestOf } from './token-writes.ts';

/** How long a device waits when it was given no interval. RFC 8628 §3.2. */
const firstIntervalMs = 5000;
const stepMs = 5000;
/** Codes live ten minutes; more codes than this are not waiting at once. */
const mostCodes = 10_000;

type LastPoll = { readonly atMs: number; readonly intervalMs: number };

export class Polling {
  readonly #asked = new Map<string, LastPoll>();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /** Returns true when the device asked too soon for a code that nobody has decided. */
  isTooSoon(deviceCode: string): boolean {
    const key = digestOf(deviceCode).toString('latin1');
    const before = this.#asked.get(key);
    const atMs = this.#nowMs();
    const isSoon = before !== undefined && atMs - before.atMs < before.intervalMs;
    const intervalMs = (before?.intervalMs ?? firstIntervalMs) + (isSoon ? stepMs : 0);
    this.#asked.delete(key);
    this.#asked.set(key, { atMs, intervalMs });
    const [oldest] = this.#asked.keys();
    if (this.#asked.size > mostCodes && oldest !== undefined) this.#asked.delete(oldest);
    return isSoon;
  }
}
