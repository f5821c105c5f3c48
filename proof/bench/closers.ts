// What was started, to be stopped in reverse. A start that comes after the stop, on its way when
// somebody pressed Ctrl-C, is undone at once.

export type Closers = {
  add(close: () => Promise<unknown> | unknown): Promise<void>;
  /** Repeatable; one that fails does not keep the others from being closed. */
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
