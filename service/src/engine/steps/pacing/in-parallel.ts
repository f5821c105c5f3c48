const together = 8;

/** Works on a few items at once. It begins no more of them once the signal has aborted or one has failed. */
export async function runInParallel<T>(
  all: readonly T[],
  signal: AbortSignal | undefined,
  work: (one: T) => Promise<void>,
): Promise<void> {
  const left = all.values();
  let failure: { readonly error: unknown } | undefined;
  const worker = async () => {
    for (const one of left) {
      if (signal?.aborted || failure) return;
      await work(one).catch((error) => {
        failure ??= { error };
      });
    }
  };
  // When the failure is thrown, no worker is still running.
  await Promise.all(Array.from({ length: together }, worker));
  if (failure) throw failure.error;
}
