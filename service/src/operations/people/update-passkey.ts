import { updatePasskey as row } from '@svc/contract/account/passkeys';
import { implement, refuse } from '../../engine/implement.ts';
import { recordChange } from '../../engine/steps/audit-log/record-change.ts';
import { requirePerson } from '../../engine/steps/people/require-person.ts';
import { toPasskey } from '../../engine/steps/people/show-passkey.ts';
import { everyClient } from '../../storage/database/database.ts';
import { renamePasskey } from '../../storage/people/passkeys.ts';

/** Renames a passkey. Refuses passkey_not_found. */
export const updatePasskey = implement(row)(async (input, caller, ports) => {
  const { userId } = requirePerson(caller);
  const { passkeyId: id, body } = input;
  const passkey = await ports.database.transaction(everyClient, async (tx) => {
    const renamed = await renamePasskey(tx, { id, userId, name: body.name });
    if (!renamed) return refuse('passkey_not_found');
    const { former } = renamed;
    const change = { before: { name: former }, after: { name: body.name } };
    const about = { resourceType: 'passkey', resourceId: id, userId };
    await recordChange(tx, caller, { action: 'passkey.renamed', ...about, ...change }, ports);
    return renamed.passkey;
  });
  return { status: 200, body: toPasskey(passkey) };
});
