import { endOtherSignIns as row } from '@svc/contract/account/account';
import { implement } from '../../engine/implement.ts';
import { recordChange } from '../../engine/steps/audit-log/record-change.ts';
import { requirePerson } from '../../engine/steps/people/require-person.ts';
import { everyClient } from '../../storage/database/database.ts';
import { endSignInsOf } from '../../storage/people/sign-ins.ts';

/** Ends every sign-in of the person except this one. */
export const endOtherSignIns = implement(row)(async (_input, caller, ports) => {
  const { userId, signInId } = requirePerson(caller);
  await ports.database.transaction(everyClient, async (tx) => {
    const signInIds = await endSignInsOf(tx, userId, signInId);
    if (signInIds.length === 0) return;
    const about = { resourceType: 'account', resourceId: userId, userId, before: { signInIds } };
    await recordChange(tx, caller, { action: 'sign_in.others_ended', ...about }, ports);
  });
  return { status: 204 };
});
