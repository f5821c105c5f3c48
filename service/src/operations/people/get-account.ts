import { getAccount as row } from '@svc/contract/account/account';
import { implement } from '../../engine/implement.ts';
import { readAccount } from '../../engine/steps/people/read-account.ts';
import { requirePerson } from '../../engine/steps/people/require-person.ts';

/** Reads the signed-in person's account, with the ways to sign in that are set up. */
export const getAccount = implement(row)(async (_input, caller, ports) => ({
  status: 200,
  body: await readAccount(requirePerson(caller), ports),
}));
