import { deletePasskey as row } from '@svc/contract/account/passkeys';
import { implement, refuse } from '../../engine/implement.ts';
import { recordChange } from '../../engine/steps/audit-log/record-change.ts';
import { lockPerson, requirePerson } from '../../engine/steps/people/require-person.ts';
import { queueSecurityMail } from '../../engine/steps/people/security-mails.ts';
import { everyClient } from '../../storage/database/database.ts';
import { countPasskeys, removePasskey } from '../../storage/people/passkeys.ts';

/** Removes a passkey, unless no other way to sign in is left. Refuses passkey_not_found, last_proof_kept. */
export const deletePasskey = implement(row)(async ({ passkeyId: id }, caller, ports) => {
  const person = requirePerson(caller);
  const { userId } = person;
  await ports.database.transaction(everyClient, async (tx) => {
    const user = await lockPerson(tx, person);
    const name = await removePasskey(tx, id, userId);
    if (name === undefined) return refuse('passkey_not_found');
    if (user.passwordHash === null && (await countPasskeys(tx, userId)) === 0) {
      return refuse('last_proof_kept');
    }
    const about = { resourceType: 'passkey', resourceId: id, userId, before: { name } };
    await recordChange(tx, caller, { action: 'passkey.removed', ...about }, ports);
    return queueSecurityMail(tx, { to: user.email, kind: 'passkey_removed' }, ports);
  });
  return { status: 204 };
});
