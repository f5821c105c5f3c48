// Stops what was started, in reverse order. A start that finishes after the stop, because somebody
// pressed Ctrl-C meanwhile, is undone at once.

export type Closers = {
  add(close: () => Promise<unknown> | unknown): Promise<void>;
  /** Repeatable. A closer that fails does not keep the others from running. */
  close(): Promise<void>;
};

export function openClosers(): Closers {
  const open: (() => Promise<unknown> | unknown)[] = [];
  let closing: Promise<void> | undefined;
  const closeAll = async () => {
    for (let next = open.pop(); next; next = open.pop()) {
      try {
        await next();
      } catch (error) {
        console.error(`bench: not closed in order: ${error}`);
      }
    }
  };
  return {
    async add(close) {
      if (closing) await close();
      else open.push(close);
    },
    close: () => (closing ??= closeAll()),
  };
}
