// The progress of a long run: a bar on a terminal, otherwise a line every few seconds.

export type Progress = {
  /** Reports that `done` of `total` are done. */
  at(done: number): void;
  end(): void;
};

type Out = { readonly isTTY?: boolean; write(text: string): unknown };

const lineEveryMs = 5000;
const width = 30;

export function startProgress(
  name: string,
  total: number,
  { out = process.stdout, now = () => performance.now() }: { out?: Out; now?: () => number } = {},
): Progress {
  const startedAt = now();
  let done = 0;
  let lineAt = startedAt;
  const text = () => {
    const perSecond = done / Math.max(0.001, (now() - startedAt) / 1000);
    const left = done === 0 ? '?' : String(Math.ceil((total - done) / perSecond));
    return `${done} of ${total}, ${perSecond.toFixed(2)}/s, ${left} s left`;
  };
  const show = () => {
    if (out.isTTY) {
      const filled = Math.round((width * done) / total);
      const bar = '█'.repeat(filled) + '░'.repeat(width - filled);
      out.write(`\r\x1b[2K${name} ${bar} ${text()}`);
    } else if (now() - lineAt >= lineEveryMs || done === total) {
      lineAt = now();
      out.write(`${name}: ${text()}\n`);
    }
  };
  show();
  return {
    at(count) {
      done = count;
      show();
    },
    end() {
      if (out.isTTY) out.write('\n');
    },
  };
}
