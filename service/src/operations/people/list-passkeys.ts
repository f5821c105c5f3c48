import { listPasskeys as row } from '@svc/contract/account/passkeys';
import { implement } from '../../engine/implement.ts';
import { requirePerson } from '../../engine/steps/people/require-person.ts';
import { toPasskey } from '../../engine/steps/people/show-passkey.ts';
import { findPasskeysOf } from '../../storage/people/passkeys.ts';

/** Lists the person's passkeys, the newest first. */
export const listPasskeys = implement(row)(async (_input, caller, ports) => {
  const { userId } = requirePerson(caller);
  const passkeys = await findPasskeysOf(ports.database, userId);
  return { status: 200, body: { data: passkeys.map(toPasskey) } };
});
