import { createRecoveryCodes as row } from '@svc/contract/account/authenticator';
import { implement, refuse } from '../../engine/implement.ts';
import { lockPerson, requirePerson } from '../../engine/steps/people/require-person.ts';
import {
  recordSecondFactorChange,
  renewCodes,
} from '../../engine/steps/people/second-factor-changes.ts';
import { everyClient } from '../../storage/database/database.ts';

/** Creates ten new recovery codes; the former ones are not valid any more. Refuses totp_not_on. */
export const createRecoveryCodes = implement(row)(async (_input, caller, ports) => {
  const person = requirePerson(caller);
  const { userId } = person;
  const recoveryCodes = await ports.database.transaction(everyClient, async (tx) => {
    const user = await lockPerson(tx, person);
    if (!user.hasTotp) return refuse('totp_not_on');
    await recordSecondFactorChange(tx, { caller, user, action: 'recovery_codes.renewed' }, ports);
    return renewCodes(tx, userId, ports);
  });
  return { status: 201, body: { recoveryCodes } };
});
