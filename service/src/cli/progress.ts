// How far long work is: a bar on a terminal, elsewhere a line every few seconds; with rate and the
// time that is left.

export type Out = { readonly isTTY?: boolean; write(text: string): unknown };

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
      out.write(`\r\x1b[2K${name} ${'█'.repeat(filled)}${'░'.repeat(width - filled)} ${text}`);
      isDrawn = true;
    },
    end() {
      if (isDrawn) out.write('\r\x1b[2K');
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
