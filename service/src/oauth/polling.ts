// How often a device asks for its token. RFC 8628 §3.5: one that asks sooner than it may is told to slow
// down, and waits five seconds more from then on. Counted in each process, as the budgets here are.

import { digestOf } from './token-writes.ts';

/** What a device waits where it was told nothing. RFC 8628 §3.2. */
const firstIntervalMs = 5000;
const stepMs = 5000;
/** Codes live ten minutes; more than this many wait nowhere. */
const most = 10_000;

type Asked = { readonly atMs: number; readonly intervalMs: number };

export class Polling {
  readonly #asked = new Map<string, Asked>();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /** True where the device asked too soon for a code that nobody has decided about. */
  isTooSoon(deviceCode: string): boolean {
    const key = digestOf(deviceCode).toString('latin1');
    const before = this.#asked.get(key);
    const atMs = this.#nowMs();
    const isSoon = before !== undefined && atMs - before.atMs < before.intervalMs;
    const intervalMs = (before?.intervalMs ?? firstIntervalMs) + (isSoon ? stepMs : 0);
    this.#asked.delete(key);
    this.#asked.set(key, { atMs, intervalMs });
    const [oldest] = this.#asked.keys();
    if (this.#asked.size > most && oldest !== undefined) this.#asked.delete(oldest);
    return isSoon;
  }
}
