import { signOut as row } from '@svc/contract/account/account';
import { implement } from '../../engine/implement.ts';
import { endOneSignIn } from '../../engine/steps/people/end-sign-in.ts';
import { everyClient } from '../../storage/database/database.ts';

/** Ends the sign-in of this browser, complete or not; repeatable. */
export const signOut = implement(row)(async (_input, caller, ports) => {
  const own = caller.kind === 'anonymous' ? caller.halfOpen : caller;
  if (own && 'signInId' in own) {
    await ports.database.transaction(everyClient, (tx) =>
      endOneSignIn(tx, { caller, ended: own }, ports),
    );
  }
  return { status: 204, setCookie: { value: null } };
});
