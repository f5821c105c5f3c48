import { createPasskeyConfirmation as row } from '@svc/contract/account/account';
import { implement, refuse } from '../../engine/implement.ts';
import { requestOptions } from '../../engine/steps/people/passkey-proof.ts';
import { requirePerson } from '../../engine/steps/people/require-person.ts';
import { findPasskeysOf } from '../../storage/people/passkeys.ts';

/**
 * Returns the options with which a browser asks its authenticator. Refuses passkey_not_found where
 * the person has none.
 */
export const createPasskeyConfirmation = implement(row)(async (_input, caller, ports) => {
  const { userId, signInId } = requirePerson(caller);
  const passkeys = await findPasskeysOf(ports.database, userId);
  if (passkeys.length === 0) return refuse('passkey_not_found');
  const asking = { purpose: 'confirm', signInId } as const;
  return { status: 200, body: await requestOptions(asking, passkeys, ports) };
});
