/** Pauses for `ms`; returns true at once when the caller has left. */
export function isGoneWithin(ms: number, gone: AbortSignal | undefined): Promise<boolean> {
  if (gone?.aborted) return Promise.resolve(true);
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      gone?.removeEventListener('abort', end);
      resolve(gone?.aborted === true);
    };
    const timer = setTimeout(end, ms);
    gone?.addEventListener('abort', end);
  });
}
