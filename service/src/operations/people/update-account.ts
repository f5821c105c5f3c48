import { updateAccount as row } from '@svc/contract/account/account';
import { implement } from '../../engine/implement.ts';
import { recordChange } from '../../engine/steps/audit-log/record-change.ts';
import { readAccount } from '../../engine/steps/people/read-account.ts';
import { lockPerson, requirePerson } from '../../engine/steps/people/require-person.ts';
import { everyClient } from '../../storage/database/database.ts';
import { updateUserName } from '../../storage/people/users.ts';

/** Changes the person's name. */
export const updateAccount = implement(row)(async ({ body }, caller, ports) => {
  const person = requirePerson(caller);
  const { userId } = person;
  await ports.database.transaction(everyClient, async (tx) => {
    const user = await lockPerson(tx, person);
    if (user.name === body.name) return;
    await updateUserName(tx, userId, body.name);
    const about = { resourceType: 'account', resourceId: userId, userId };
    const change = { before: { name: user.name }, after: { name: body.name } };
    await recordChange(tx, caller, { action: 'account.renamed', ...about, ...change }, ports);
  });
  return { status: 200, body: await readAccount(person, ports) };
});
