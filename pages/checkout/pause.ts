import type { Notice } from './view.ts';

/** The longest delay that a timer takes. */
const longestTimerMs = 2 ** 31 - 1;

/** A timer that a delay of months does not end at once. */
export const later = (work: () => void, ms: number): ReturnType<typeof setTimeout> =>
  setTimeout(work, Math.min(ms, longestTimerMs));

/** Says when the buyer may try again, where a notice asks to wait; a new notice ends the old wait. */
export class Pause {
  #timer: ReturnType<typeof setTimeout> | undefined;

  start(notice: Notice | null, onEnd: () => void): void {
    clearTimeout(this.#timer);
    if (notice?.kind !== 'wait') return;
    this.#timer = later(onEnd, notice.seconds * 1000);
  }
}
