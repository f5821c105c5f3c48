import { hash } from 'node:crypto';
import { resetPassword as row } from '@svc/contract/account/account';
import { implement, refuse } from '../../engine/implement.ts';
import { hashPassword, refuseWeakPassword } from '../../engine/steps/people/password-hash.ts';
import { forgetPasswordTries } from '../../engine/steps/people/proof-budget.ts';
import { guessableFacts, setPassword } from '../../engine/steps/people/set-password.ts';
import { everyClient } from '../../storage/database/database.ts';
import { findAccountLink, lockAccountLink } from '../../storage/people/account-links.ts';
import { findUser, lockUser } from '../../storage/people/users.ts';

/**
 * Sets the password by a mailed link, once, and ends every sign-in; the second factor stays on. The
 * count of wrong passwords over all networks starts again, so that the owner of a locked account
 * can sign in. Refuses link_not_found for unknown, used and expired links alike, and
 * password_too_weak.
 */
export const resetPassword = implement(row)(async ({ body }, caller, ports) => {
  const linkSha256 = hash('sha256', body.link, 'buffer');
  const userId = await findAccountLink(ports.database, linkSha256);
  const found = userId && (await findUser(ports.database, userId));
  if (!found) return refuse('link_not_found');
  refuseWeakPassword(body.password, guessableFacts(found));
  const passwordHash = await hashPassword(body.password, ports);
  await ports.database.transaction(everyClient, async (tx) => {
    const user = (await lockUser(tx, found.id)) ?? refuse('link_not_found');
    // Of two concurrent requests, the second finds the link used.
    if ((await lockAccountLink(tx, linkSha256)) !== user.id) return refuse('link_not_found');
    await forgetPasswordTries(tx, user.email);
    const action = 'password.reset';
    return setPassword(tx, { caller, user, passwordHash, keptId: null, action }, ports);
  });
  return { status: 204, setCookie: { value: null } };
});
