import { SvcError } from '@svc/browser';

/** Between two tries to read the session of a buyer who has come back. */
export const againAfterMs = 3_000;

export const sleep = (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms));

/** True after waiting as long as too many requests have to; at once false for any other failure. */
export async function isWaitedOut(cause: unknown): Promise<boolean> {
  const { status, retryAfter } = failureOf(cause);
  if (status !== 429) return false;
  await sleep(1_000 * (retryAfter ?? 1));
  return true;
}

/** What was thrown, as the library's one error. */
export const failureOf = (error: unknown): SvcError =>
  error instanceof SvcError
    ? error
    : new SvcError('api_error', 'page_error', { message: String(error) });
