import { family, SvcApiError } from '../errors.ts';

export type InboxErrorCode =
  | 'NotAnEvent'
  /** A new inbox has no `from`. */
  | 'StartMissing'
  | 'HandlerIsAsync'
  | 'HandlerFailed'
  /** The handler committed or rolled back by itself. The event is applied where the handler committed. */
  | 'HandlerEndedTransaction'
  /** An earlier event of the resource is missing and the service does not have it. */
  | 'EventMissing'
  /**
   * Another event was applied under the same number: the event is of another merchant or of a restored
   * service.
   */
  | 'NumberUsed';

/** A failure of an inbox. `cause` is what a handler threw. */
export class SvcInboxError extends SvcApiError {
  static override readonly [family]: string = 'SvcInboxError';
  declare readonly code: InboxErrorCode;

  constructor(code: InboxErrorCode, message: string, cause?: unknown) {
    super(message, { code, cause });
  }
}

export type HandlerError = { readonly error: unknown } | undefined;

/**
 * Returns the error to throw when the savepoint set before the handler is gone; any other error unchanged.
 */
export function chooseHandlerError(error: unknown, thrown: HandlerError): unknown {
  const { code, message } = Object(error) as { code?: unknown; message?: unknown };
  const isGone = code === '25P01' || code === '3B001' || /no such savepoint/.test(String(message));
  if (!isGone) return thrown ? thrown.error : error;
  const text =
    'The handler ended the transaction that it was given. Leave commit and rollback to the inbox: throw where nothing is to be kept.';
  if (!thrown) return new SvcInboxError('HandlerEndedTransaction', text, error);
  const said = thrown.error instanceof Error ? thrown.error.message : String(thrown.error);
  return new SvcInboxError('HandlerEndedTransaction', `${text} It threw: ${said}`, thrown.error);
}
