import type { Account } from '@svc/contract/account/account-shapes';
import { recentProofMs } from '../../../domain/people/sign-in.ts';
import { findAccount } from '../../../storage/people/users.ts';
import { refuse } from '../../implement.ts';
import type { Ports } from '../../ports.ts';
import type { PersonCaller } from './require-person.ts';

const isoOrNull = (at: Date | null): string | null => (at ? at.toISOString() : null);

/** Reads the account with the ways to sign in that are set up, as the API returns it. */
export async function readAccount(
  { userId, signInId }: PersonCaller,
  ports: Ports,
): Promise<Account> {
  const found = await findAccount(ports.database, userId, signInId);
  const account = found ?? refuse('sign_in_required');
  const { provenAt } = account;
  return {
    id: account.id,
    email: account.email,
    name: account.name,
    emailProvenAt: isoOrNull(account.emailProvenAt),
    hasPassword: account.hasPassword,
    passwordChangedAt: isoOrNull(account.passwordChangedAt),
    hasAuthenticator: account.hasTotp,
    recoveryCodesLeft: account.recoveryCodesLeft,
    passkeyCount: account.passkeyCount,
    signIn: {
      id: signInId,
      provenAt: provenAt.toISOString(),
      confirmedUntil: new Date(provenAt.getTime() + recentProofMs).toISOString(),
    },
    createdAt: account.createdAt.toISOString(),
  };
}
