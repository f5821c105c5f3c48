import { createPasskey as row } from '@svc/contract/account/passkeys';
import { implement, refuse } from '../../engine/implement.ts';
import { recordChange } from '../../engine/steps/audit-log/record-change.ts';
import { verifyCreated } from '../../engine/steps/people/passkey-proof.ts';
import { lockPerson, requirePerson } from '../../engine/steps/people/require-person.ts';
import { queueSecurityMail } from '../../engine/steps/people/security-mails.ts';
import { toPasskey } from '../../engine/steps/people/show-passkey.ts';
import { everyClient } from '../../storage/database/database.ts';
import { countPasskeys, insertPasskey } from '../../storage/people/passkeys.ts';

/** More than anybody needs, and few enough to list. */
const mostPasskeys = 50;

/** Adds a passkey that the browser created. Refuses passkey_invalid. */
export const createPasskey = implement(row)(async ({ body }, caller, ports) => {
  const person = requirePerson(caller);
  const { userId, signInId } = person;
  const { name, passkey: created } = body;
  const made = await verifyCreated(created, signInId, ports);
  if (!made) return refuse('passkey_invalid');
  const id = ports.newId();
  const added = await ports.database.transaction(everyClient, async (tx) => {
    const user = await lockPerson(tx, person);
    if ((await countPasskeys(tx, userId)) >= mostPasskeys) {
      const message = `An account has ${mostPasskeys} passkeys at most.`;
      return refuse('passkey_invalid', { message });
    }
    const { transports = [] } = created;
    const passkey = await insertPasskey(tx, { ...made, id, userId, name, transports });
    if (!passkey) return refuse('passkey_invalid');
    const about = { resourceType: 'passkey', resourceId: id, userId, after: { name } };
    await recordChange(tx, caller, { action: 'passkey.added', ...about }, ports);
    await queueSecurityMail(tx, { to: user.email, kind: 'passkey_added' }, ports);
    return passkey;
  });
  return { status: 201, body: toPasskey(added) };
});
