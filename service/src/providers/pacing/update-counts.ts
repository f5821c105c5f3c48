// The updates of each payment intent, of which the provider takes 1 000 in an hour. Only an intent
// that is changed again and again asks the count of all processes, so that an ordinary payment
// costs nothing here.

import type { TakePaceShare } from '../../engine/ports.ts';
import { Turns } from './turns.ts';

/** What each process may send without asking: as many processes as one start makes, 64, use 640. */
const freeUpdates = 10;
/** The rest of the 1 000, for all processes together. */
const perSecond = 360 / 3600;
const hourMs = 3_600_000;
const mostIntents = 5000;

type Counted = { count: number; readonly from: number; turns: Turns | undefined };

export class UpdateCounts {
  readonly #intents = new Map<string, Counted>();
  readonly #takeShare: TakePaceShare;

  constructor(takeShare: TakePaceShare) {
    this.#takeShare = takeShare;
  }

  take(accountId: string, intent: string, untilMs: number): boolean | Promise<boolean> {
    const counted = this.#of(accountId, intent);
    counted.count += 1;
    if (counted.count <= freeUpdates) return true;
    return this.#turnsOf(counted, accountId, intent).take('money', untilMs);
  }

  refused(accountId: string, intent: string, retryAfterMs: number | null): void {
    const counted = this.#of(accountId, intent);
    counted.count = Math.max(counted.count, freeUpdates);
    this.#turnsOf(counted, accountId, intent).slowDown(retryAfterMs);
  }

  close(): void {
    for (const { turns } of this.#intents.values()) turns?.close();
  }

  #turnsOf(counted: Counted, accountId: string, intent: string): Turns {
    counted.turns ??= new Turns({ accountId, endpoint: intent, perSecond }, this.#takeShare);
    return counted.turns;
  }

  #of(accountId: string, intent: string): Counted {
    const key = `${accountId} ${intent}`;
    const now = performance.now();
    const known = this.#intents.get(key);
    const isOfThisHour = known !== undefined && now - known.from < hourMs;
    const counted = isOfThisHour ? known : { count: 0, from: now, turns: undefined };
    // Moved to the end: the intents that were changed least recently are forgotten first.
    this.#intents.delete(key);
    this.#intents.set(key, counted);
    const [oldest] = this.#intents;
    if (oldest && this.#intents.size > mostIntents) {
      oldest[1].turns?.close();
      this.#intents.delete(oldest[0]);
    }
    return counted;
  }
}
