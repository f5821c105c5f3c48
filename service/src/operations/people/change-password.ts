import { changePassword as row } from '@svc/contract/account/account';
import { implement, refuse } from '../../engine/implement.ts';
import { hashPassword, refuseWeakPassword } from '../../engine/steps/people/password-hash.ts';
import { lockPerson, requirePerson } from '../../engine/steps/people/require-person.ts';
import { guessableFacts, setPassword } from '../../engine/steps/people/set-password.ts';
import { everyClient } from '../../storage/database/database.ts';
import { findUser } from '../../storage/people/users.ts';

/** Sets the password and ends every other sign-in. Refuses password_too_weak. */
export const changePassword = implement(row)(async ({ body }, caller, ports) => {
  const person = requirePerson(caller);
  const { userId, signInId } = person;
  const found = (await findUser(ports.database, userId)) ?? refuse('sign_in_required');
  refuseWeakPassword(body.password, guessableFacts(found));
  const passwordHash = await hashPassword(body.password, ports);
  await ports.database.transaction(everyClient, async (tx) => {
    const user = await lockPerson(tx, person);
    const action = 'password.changed';
    await setPassword(tx, { caller, user, passwordHash, keptId: signInId, action }, ports);
  });
  return { status: 204 };
});
