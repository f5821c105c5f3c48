// A process of a proof or a soak: runs one share of a layer and reports its progress. It ends with
// its parent.

import type { Task } from './layers.ts';
import { runTask } from './run-task.ts';

export type LayerMessage =
  | { readonly kind: 'progress'; readonly done: number }
  | { readonly kind: 'result'; readonly result: Awaited<ReturnType<typeof runTask>> }
  | { readonly kind: 'failure'; readonly text: string };

/** After a failure, work that is still running reports to nobody. */
const sendMessage = (told: LayerMessage) => process.connected && process.send?.(told);
const stopping = new AbortController();
// Ctrl-C reaches every process of the terminal; only the parent acts on it.
process.on('SIGINT', () => undefined);
process.on('disconnect', () => stopping.abort());

process.on('message', (message: Task | 'stop') => {
  if (message === 'stop') stopping.abort();
  else void workOn(message);
});

const tellEveryMs = 200;

async function workOn(task: Task): Promise<void> {
  let toldAt = 0;
  const onProgress = (done: number) => {
    if (performance.now() - toldAt < tellEveryMs && done < task.count) return;
    toldAt = performance.now();
    sendMessage({ kind: 'progress', done });
  };
  try {
    const result = await runTask(task, { onProgress, signal: stopping.signal });
    sendMessage({ kind: 'result', result });
  } catch (error) {
    sendMessage({ kind: 'failure', text: (error as Error).stack ?? String(error) });
  } finally {
    if (process.connected) process.disconnect();
    // A part that started incompletely may keep the process alive, and the parent waits for its
    // end.
    setTimeout(() => process.exit(), 5000).unref();
  }
}
