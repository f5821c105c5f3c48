export type InboxErrorCode =
  | 'NotAnEvent'
  | 'HandlerIsAsync'
  | 'HandlerFailed'
  /** An earlier event of the resource is not to be had. */
  | 'EventMissing'
  /** Another event was applied under its number: of another merchant, or of a restored service. */
  | 'NumberUsed';

/** A failure of an inbox; `cause` is what a handler threw. */
export class SvcInboxError extends Error {
  readonly code: InboxErrorCode;

  constructor(code: InboxErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'SvcInboxError';
    this.code = code;
  }
}
