import { signInWithPasskey as row } from '@svc/contract/account/account';
import { implement } from '../../engine/implement.ts';
import { openSignIn } from '../../engine/steps/people/open-sign-in.ts';
import {
  readAssertion,
  signInAsking,
  takeAssertion,
} from '../../engine/steps/people/passkey-proof.ts';
import { recordFailure } from '../../engine/steps/people/record-failure.ts';
import { everyClient } from '../../storage/database/database.ts';

/** Signs in with a passkey, which is two factors in one. Refuses sign_in_failed. */
export const signInWithPasskey = implement(row)(async ({ body }, caller, ports, refuse) => {
  const read = await readAssertion(body, signInAsking, ports);
  // No person was named before, so the authenticator has to name the owner. WebAuthn §7.2, 6.
  if (!read || typeof read.asserted.userHandle !== 'string') return refuse('sign_in_failed');
  const judged = await ports.database.transaction(everyClient, async (tx) => {
    const taken = await takeAssertion(tx, { read, ownerId: null }, ports);
    if (!taken.isRight) return taken;
    const opening = { userId: taken.userId, method: 'passkey', caller } as const;
    return { ...taken, opened: await openSignIn(tx, opening, ports) };
  });
  if (!judged.isRight) {
    const { userId } = judged;
    if (userId !== null) await recordFailure(caller, { userId, proof: 'passkey' }, ports);
    return refuse('sign_in_failed');
  }
  const { cookieValue } = judged.opened;
  return { status: 200, body: { state: 'open' }, setCookie: { value: cookieValue } };
});
