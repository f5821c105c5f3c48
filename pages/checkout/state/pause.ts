import type { Notice } from './view.ts';

/** The longest delay that setTimeout accepts. */
const longestTimerMs = 2 ** 31 - 1;

/** Starts a timer. A longer delay is capped, because setTimeout would fire at once. */
export const startTimer = (work: () => void, ms: number): ReturnType<typeof setTimeout> =>
  setTimeout(work, Math.min(ms, longestTimerMs));

/** Ends a notice that asks the buyer to wait once the wait is over. A new notice ends the old wait. */
export class Pause {
  #timer: ReturnType<typeof setTimeout> | undefined;

  start(notice: Notice | null, onEnd: () => void): void {
    clearTimeout(this.#timer);
    if (notice?.kind !== 'wait') return;
    this.#timer = startTimer(onEnd, notice.seconds * 1000);
  }
}
