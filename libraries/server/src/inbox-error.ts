export type InboxErrorCode = 'NotAnEvent' | 'HandlerIsAsync' | 'HandlerFailed' | 'EventMissing';

/** A failure of an inbox; `cause` is what a handler threw. */
export class SvcInboxError extends Error {
  readonly code: InboxErrorCode;

  constructor(code: InboxErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'SvcInboxError';
    this.code = code;
  }
}
