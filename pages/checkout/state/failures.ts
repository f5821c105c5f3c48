import { SvcError } from '@svc/browser';

/** The time between two attempts to read the session of a buyer who has returned. */
export const againAfterMs = 3_000;

export const sleep = (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms));

/**
 * After too many requests it waits as long as the service demands and returns true; for any other failure
 * it returns false at once.
 */
export async function waitOutLimit(cause: unknown): Promise<boolean> {
  const { status, retryAfter } = failureOf(cause);
  if (status !== 429) return false;
  await sleep(1_000 * (retryAfter ?? 1));
  return true;
}

/** Turns anything that was thrown into a SvcError. */
export const failureOf = (error: unknown): SvcError =>
  error instanceof SvcError
    ? error
    : new SvcError('api_error', 'page_error', { message: String(error) });
