/** Gives turns, evenly spaced. A turn that is waited for when the signal comes is given at once. */
export function pace(perSecond = 20, signal?: AbortSignal): () => Promise<void> {
  const gapMs = 1000 / perSecond;
  let nextAt = performance.now();
  return async () => {
    const now = performance.now();
    const mineAt = Math.max(now, nextAt);
    nextAt = mineAt + gapMs;
    if (mineAt <= now || signal?.aborted) return;
    await new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, mineAt - now);
      signal?.addEventListener('abort', end, { once: true });
    });
  };
}
