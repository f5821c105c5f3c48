import { confirmAuthenticator as row } from '@svc/contract/account/authenticator';
import { implement, refuse } from '../../engine/implement.ts';
import { takeCodeTry } from '../../engine/steps/people/proof-budget.ts';
import { lockPerson, requirePerson } from '../../engine/steps/people/require-person.ts';
import { takeCode } from '../../engine/steps/people/second-factor.ts';
import {
  recordSecondFactorChange,
  renewCodes,
} from '../../engine/steps/people/second-factor-changes.ts';
import { everyClient } from '../../storage/database/database.ts';
import { updateTotpConfirmed } from '../../storage/people/users.ts';

/**
 * Switches the authenticator on, with a right code of it. Refuses rate_limited, totp_already_on,
 * totp_not_on, totp_code_invalid.
 */
export const confirmAuthenticator = implement(row)(async ({ body }, caller, ports) => {
  const person = requirePerson(caller);
  const { userId } = person;
  const tried = await takeCodeTry(userId, ports);
  const recoveryCodes = await ports.database.transaction(everyClient, async (tx) => {
    const user = await lockPerson(tx, person);
    if (user.hasTotp) return refuse('totp_already_on');
    if (!user.totpSecretSealed) return refuse('totp_not_on');
    if (!(await takeCode(tx, { user, typed: body.code }, ports)))
      return refuse('totp_code_invalid');
    await updateTotpConfirmed(tx, userId);
    await recordSecondFactorChange(tx, { caller, user, action: 'authenticator.turned_on' }, ports);
    return renewCodes(tx, userId, ports);
  });
  await tried.giveBack();
  return { status: 200, body: { recoveryCodes } };
});
