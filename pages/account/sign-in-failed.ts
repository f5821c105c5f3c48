// What the forms say when an identity was not proved: the service gives all ways of signing in one message.

import { CallFailure } from '../kit/calls.ts';

/** For `catch`: throws the failure again, with the form's own message where the proof was refused. */
export const signInFailed =
  (message: string) =>
  (cause: unknown): never => {
    if (!(cause instanceof CallFailure) || cause.code !== 'sign_in_failed') throw cause;
    throw new CallFailure(cause.status, { ...cause.facts, message });
  };
