// How far long work is: a bar on a terminal, elsewhere a line every few seconds; with rate and the
// time that is left.

import { escapeControls } from '@svc/contract/plain-text';

export type Out = {
  readonly isTTY?: boolean;
  /** Words, in which whatever steers a terminal is shown as its number. */
  write(text: string): unknown;
  /** Words with colours, links and moves of our own, which holds nothing that others have written. */
  draw?(text: string): unknown;
};

/** `out` as commands write to it. */
export const printing = (out: Out): Out => ({
  ...(out.isTTY === undefined ? {} : { isTTY: out.isTTY }),
  write: (text) => out.write(escapeControls(text)),
  draw: (text) => out.write(text),
});

/** Draws where the output can; else it is nobody's terminal. */
export const draw = (out: Out, text: string): unknown =>
  out.draw ? out.draw(text) : out.write(text);

export type Progress = {
  at(done: number, total: number): void;
  /** Leaves the line to what is written next. */
  end(): void;
};

const lineEveryMs = 5000;
const drawEveryMs = 100;
const width = 30;

type Settings = {
  /** What is counted. */
  readonly unit?: string;
  readonly now?: () => number;
};

export function startProgress(
  name: string,
  out: Out,
  { unit = 'payments', now = () => performance.now() }: Settings = {},
): Progress {
  const startedAt = now();
  let shownAt = out.isTTY ? Number.NEGATIVE_INFINITY : startedAt;
  let isDrawn = false;
  return {
    at(done, total) {
      const every = out.isTTY ? drawEveryMs : lineEveryMs;
      if (now() - shownAt < every && !(out.isTTY && done === total)) return;
      shownAt = now();
      const seconds = (now() - startedAt) / 1000;
      const text = describeProgress({ done, total, unit }, seconds);
      if (!out.isTTY) {
        out.write(`${name}: ${text}\n`);
        return;
      }
      const share = total === 0 ? 1 : Math.min(1, done / total);
      const filled = Math.round(width * share);
      draw(out, `\r\x1b[2K${name} ${'█'.repeat(filled)}${'░'.repeat(width - filled)} ${text}`);
      isDrawn = true;
    },
    end() {
      if (isDrawn) draw(out, '\r\x1b[2K');
      isDrawn = false;
    },
  };
}

type Reached = { readonly done: number; readonly total: number; readonly unit: string };

function describeProgress({ done, total, unit }: Reached, seconds: number): string {
  const perSecond = done / Math.max(0.001, seconds);
  const left = done === 0 ? '?' : clockTime(Math.max(0, total - done) / perSecond);
  const rate = perSecond.toFixed(perSecond < 10 ? 1 : 0);
  return `${done} of ${total} ${unit}, ${rate}/s, ${left} left`;
}

function clockTime(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  return minutes < 60
    ? `${minutes} min ${whole % 60} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
