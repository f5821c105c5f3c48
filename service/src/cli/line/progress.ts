// Shows the progress of long work: a bar on a terminal, otherwise a line every few seconds; with
// the rate and the remaining time.

import { escapeControls } from '@svc/contract/servers/plain-text';

export type Output = {
  readonly isTTY?: boolean;
  /** Writes text, in which control characters are shown as numbers. */
  write(text: string): unknown;
  /**
   * Writes text with the command's own colours, links and cursor moves; it must contain no text
   * from others.
   */
  draw?(text: string): unknown;
};

/** Wraps `out` in the form in which commands write to it. */
export const printing = (out: Output): Output => ({
  ...(out.isTTY === undefined ? {} : { isTTY: out.isTTY }),
  write: (text) => out.write(escapeControls(text)),
  draw: (text) => out.write(text),
});

/** Draws when the output can; otherwise the output is not a terminal. */
export const drawText = (out: Output, text: string): unknown =>
  out.draw ? out.draw(text) : out.write(text);

export type Progress = {
  at(done: number, total: number): void;
  /** Ends the progress line, so that the next text can follow. */
  end(): void;
};

const lineEveryMs = 5000;
const drawEveryMs = 100;
const width = 30;

type Settings = {
  /** The noun of what is counted. */
  readonly unit?: string;
  readonly now?: () => number;
};

export function startProgress(
  name: string,
  out: Output,
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
      drawText(out, `\r\x1b[2K${name} ${'█'.repeat(filled)}${'░'.repeat(width - filled)} ${text}`);
      isDrawn = true;
    },
    end() {
      if (isDrawn) drawText(out, '\r\x1b[2K');
      isDrawn = false;
    },
  };
}

type ProgressState = { readonly done: number; readonly total: number; readonly unit: string };

function describeProgress({ done, total, unit }: ProgressState, seconds: number): string {
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
