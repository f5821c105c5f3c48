import type { Tx } from '../../../storage/database/database.ts';
import { isSignInOpen } from '../../../storage/people/sign-ins.ts';
import { lockUser, type UserProofs } from '../../../storage/people/users.ts';
import { refuse } from '../../implement.ts';
import type { Caller } from '../../ports.ts';

export type PersonCaller = Extract<Caller, { kind: 'person' }>;

/** Returns the caller as a signed-in person. Refuses sign_in_required. */
export const requirePerson = (caller: Caller): PersonCaller =>
  caller.kind === 'person' ? caller : refuse('sign_in_required');

/**
 * Locks the signed-in person until the transaction ends. The sign-in is read again under the lock:
 * a new password may have ended it while the request waited, and a person who was signed out by
 * that may not change any proof. Refuses sign_in_required.
 */
export async function lockPerson(
  tx: Tx,
  { userId, signInId }: Pick<PersonCaller, 'userId' | 'signInId'>,
): Promise<UserProofs> {
  const user = await lockUser(tx, userId);
  return user && (await isSignInOpen(tx, signInId, userId)) ? user : refuse('sign_in_required');
}
