// What the forms send as proofs of identity, and what they say where a proof was refused. Contract §6.

import type { Account } from '@svc/contract/account/account-shapes';
import { CallFailure } from './calls.ts';

/**
 * For `catch`: throws the failure again, with the form's own message where the proof was refused. The service
 * gives all ways of signing in one message.
 */
export const signInFailed =
  (message: string) =>
  (cause: unknown): never => {
    if (!(cause instanceof CallFailure) || cause.code !== 'sign_in_failed') throw cause;
    throw new CallFailure(cause.status, { ...cause.facts, message });
  };

/**
 * When the person is signed out meanwhile, the question closes: the repeated call gets the same error and
 * handles it.
 */
export const unlessSignedOut = (proving: Promise<unknown>): Promise<unknown> =>
  proving.catch((cause: unknown) => {
    if (!(cause instanceof CallFailure) || cause.code !== 'sign_in_required') throw cause;
  });

/** Apps and printed lists show codes in groups. */
export function secondFactorOf(typed: string, isRecovery: boolean) {
  const code = typed.replaceAll(/\s/g, '');
  return isRecovery ? { recoveryCode: code } : { code };
}

export const wrongCode = (isRecovery: boolean): string =>
  `The ${isRecovery ? 'recovery code' : 'code'} is wrong or was used before.`;

/** Returns the ways in which the person can give a proof in this browser; none may be left. */
export const waysToProve = (
  { passkeyCount, hasPassword }: Pick<Account, 'passkeyCount' | 'hasPassword'>,
  hasPasskeys: boolean,
) => ({ byPasskey: passkeyCount > 0 && hasPasskeys, byPassword: hasPassword });
