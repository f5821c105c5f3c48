import { deleteAuthenticator as row } from '@svc/contract/account/authenticator';
import { implement, refuse } from '../../engine/implement.ts';
import { lockPerson, requirePerson } from '../../engine/steps/people/require-person.ts';
import { recordSecondFactorChange } from '../../engine/steps/people/second-factor-changes.ts';
import { everyClient } from '../../storage/database/database.ts';
import { replaceRecoveryCodes } from '../../storage/people/recovery-codes.ts';
import { removeTotp } from '../../storage/people/users.ts';

/** Switches the authenticator off and deletes the recovery codes. Refuses totp_not_on. */
export const deleteAuthenticator = implement(row)(async (_input, caller, ports) => {
  const person = requirePerson(caller);
  const { userId } = person;
  await ports.database.transaction(everyClient, async (tx) => {
    const user = await lockPerson(tx, person);
    if (!user.hasTotp) return refuse('totp_not_on');
    await removeTotp(tx, userId);
    await replaceRecoveryCodes(tx, userId, []);
    return recordSecondFactorChange(
      tx,
      { caller, user, action: 'authenticator.turned_off' },
      ports,
    );
  });
  return { status: 204 };
});
