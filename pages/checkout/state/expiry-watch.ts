// Checks at a session's end whether it has ended: the service's clock decides, not the buyer's.

import { startTimer } from './pause.ts';

const repeatMs = 60_000;

export class ExpiryWatch {
  readonly #ask: () => Promise<void>;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(ask: () => Promise<void>) {
    this.#ask = ask;
  }

  /** Checks at this instant and every minute afterwards. A new start replaces the old one. */
  start(expiresAt: string): void {
    this.#wait(Math.max(Date.parse(expiresAt) - Date.now(), 0) + 1_000);
  }

  #wait(inMs: number): void {
    clearTimeout(this.#timer);
    const timer = startTimer(async () => {
      await this.#ask();
      if (this.#timer === timer) this.#wait(repeatMs);
    }, inMs);
    this.#timer = timer;
  }
}
