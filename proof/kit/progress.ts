// The progress of a long run: a bar on a terminal, otherwise a line every few seconds.

export type Progress = {
  /** Reports that `done` of `total` are done. */
  at(done: number): void;
  end(): void;
};

type ProgressOutput = { readonly isTTY?: boolean; write(text: string): unknown };

const lineEveryMs = 5000;
const width = 30;

export function startProgress(
  name: string,
  total: number,
  {
    out = process.stdout,
    now = () => performance.now(),
  }: { out?: ProgressOutput; now?: () => number } = {},
): Progress {
  const startedAt = now();
  let done = 0;
  let lineAt = startedAt;
  const progressText = () => {
    const perSecond = done / Math.max(0.001, (now() - startedAt) / 1000);
    const left = done === 0 ? '?' : String(Math.ceil((total - done) / perSecond));
    return `${done} of ${total}, ${perSecond.toFixed(2)}/s, ${left} s left`;
  };
  const showProgress = () => {
    if (out.isTTY) {
      const filled = Math.round((width * done) / total);
      const bar = '█'.repeat(filled) + '░'.repeat(width - filled);
      out.write(`\r\x1b[2K${name} ${bar} ${progressText()}`);
    } else if (now() - lineAt >= lineEveryMs || done === total) {
      lineAt = now();
      out.write(`${name}: ${progressText()}\n`);
    }
  };
  showProgress();
  return {
    at(count) {
      done = count;
      showProgress();
    },
    end() {
      if (out.isTTY) out.write('\n');
    },
  };
}
