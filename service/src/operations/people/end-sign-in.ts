import { endSignIn as row } from '@svc/contract/account/account';
import { implement } from '../../engine/implement.ts';
import { endOneSignIn } from '../../engine/steps/people/end-sign-in.ts';
import { requirePerson } from '../../engine/steps/people/require-person.ts';
import { everyClient } from '../../storage/database/database.ts';

/** Ends one of the person's sign-ins; its cookie is not accepted any more. Refuses sign_in_not_found. */
export const endSignIn = implement(row)(async ({ signInId }, caller, ports, refuse) => {
  const { userId } = requirePerson(caller);
  const isEnded = await ports.database.transaction(everyClient, (tx) =>
    endOneSignIn(tx, { caller, ended: { signInId, userId } }, ports),
  );
  return isEnded ? { status: 204 } : refuse('sign_in_not_found');
});
