/** Waits for `ms`; an abort signal, earlier or meanwhile, ends the wait. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  if (ms <= 0 || signal?.aborted) return;
  await new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end, { once: true });
  });
}

/**
 * Returns a function that waits for the next of evenly spaced turns. A turn that is waited for when
 * the signal aborts comes at once.
 */
export function pace(perSecond = 20, signal?: AbortSignal): () => Promise<void> {
  const gapMs = 1000 / perSecond;
  let nextAt = performance.now();
  return async () => {
    const now = performance.now();
    const mineAt = Math.max(now, nextAt);
    nextAt = mineAt + gapMs;
    await pause(mineAt - now, signal);
  };
}
