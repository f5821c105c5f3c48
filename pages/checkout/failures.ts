import { SvcError } from '@svc/browser';

/** Between two tries to read the session of a buyer who has come back. */
export const againAfterMs = 3_000;

export const sleep = (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms));

/** What was thrown, as the library's one error. */
export const failureOf = (error: unknown): SvcError =>
  error instanceof SvcError
    ? error
    : new SvcError('api_error', 'page_error', { message: String(error) });
