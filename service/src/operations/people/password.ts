import { hash } from 'node:crypto';
import {
  changePassword as changeRow,
  requestPasswordReset as requestRow,
  resetPassword as resetRow,
} from '@svc/contract/account';
import { implement, refuse } from '../../engine/implement.ts';
import type { Caller, Ports } from '../../engine/ports.ts';
import { recordChange } from '../../engine/steps/audit-log/record-change.ts';
import { makePasswordLink } from '../../engine/steps/people/issue-password-link.ts';
import { queueNotice, queueResetMail } from '../../engine/steps/people/notices.ts';
import { hashPassword, refuseWeakPassword } from '../../engine/steps/people/password-hash.ts';
import { forgetPasswordTries } from '../../engine/steps/people/proof-budget.ts';
import { lockPerson, requirePerson } from '../../engine/steps/people/require-person.ts';
import {
  endAccountLinks,
  findAccountLink,
  lockAccountLink,
} from '../../storage/accounts/account-links.ts';
import { endSignInsOf } from '../../storage/accounts/sign-ins.ts';
import {
  findUser,
  findUserByEmail,
  lockUser,
  type UserProofs,
  updatePassword,
} from '../../storage/accounts/users.ts';
import { everyClient, type Tx } from '../../storage/database/database.ts';

/** Words that everybody who sees the service knows. */
const known = ({ email, name }: UserProofs) => [email, name];

type NewPassword = {
  readonly caller: Caller;
  readonly user: UserProofs;
  readonly passwordHash: string;
  /** The sign-in that goes on; null: none. */
  readonly keptId: string | null;
  readonly action: 'password.changed' | 'password.reset';
};

/** Every other sign-in, and every link that is on its way, ends with the former password. */
async function setPassword(tx: Tx, given: NewPassword, ports: Ports): Promise<void> {
  const { caller, user, passwordHash, keptId, action } = given;
  await updatePassword(tx, user.id, { passwordHash, provesEmail: action === 'password.reset' });
  await endAccountLinks(tx, user.id);
  await endSignInsOf(tx, user.id, keptId);
  const about = { resourceType: 'account', resourceId: user.id, userId: user.id };
  await recordChange(tx, caller, { action, ...about }, ports);
  await queueNotice(tx, { to: user.email, kind: 'password_changed' }, ports);
}

/** Sets the password and ends every other sign-in. Refuses password_too_weak. */
export const changePassword = implement(changeRow)(async ({ body }, caller, ports) => {
  const person = requirePerson(caller);
  const { userId, signInId } = person;
  const found = (await findUser(ports.database, userId)) ?? refuse('sign_in_required');
  refuseWeakPassword(body.password, known(found));
  const passwordHash = await hashPassword(body.password, ports);
  await ports.database.transaction(everyClient, async (tx) => {
    const user = await lockPerson(tx, person);
    const action = 'password.changed';
    await setPassword(tx, { caller, user, passwordHash, keptId: signInId, action }, ports);
  });
  return { status: 204 };
});

/** So many links an hour are mailed to one account. */
const mostLinksAnHour = 5;

/** Longer than an answer to a known address takes; every answer takes it. */
const answerMs = 250;

/** Mails a link for a new password; whether there is such an account is told to nobody. */
export const requestPasswordReset = implement(requestRow)(async ({ body }, caller, ports) => {
  const [outcome] = await Promise.allSettled([
    mailLink(body.email, caller, ports),
    new Promise<void>((resolve) => void setTimeout(resolve, answerMs)),
  ]);
  if (outcome.status === 'rejected') throw outcome.reason;
  return { status: 202 };
});

async function mailLink(email: string, caller: Caller, ports: Ports): Promise<void> {
  const found = await findUserByEmail(ports.database, email);
  if (!found) return;
  await ports.database.transaction(everyClient, async (tx) => {
    const user = await lockUser(tx, found.id);
    if (!user) return;
    const { id: userId } = user;
    const made = await makePasswordLink(tx, { userId, mostAnHour: mostLinksAnHour }, ports);
    if (!made) return;
    const about = { resourceType: 'account', resourceId: userId, userId };
    await recordChange(tx, caller, { action: 'password.reset_requested', ...about }, ports);
    await queueResetMail(tx, { to: user.email, url: made.url }, ports);
  });
}

/**
 * Sets the password by a mailed link, once, and ends every sign-in; the second factor stays on. The
 * count of wrong passwords over all networks begins anew, so that the owner of a locked account can
 * sign in again.
 * Refuses link_not_found for unknown, used and expired links alike, password_too_weak.
 */
export const resetPassword = implement(resetRow)(async ({ body }, caller, ports) => {
  const linkSha256 = hash('sha256', body.link, 'buffer');
  const userId = await findAccountLink(ports.database, linkSha256);
  const found = userId && (await findUser(ports.database, userId));
  if (!found) return refuse('link_not_found');
  refuseWeakPassword(body.password, known(found));
  const passwordHash = await hashPassword(body.password, ports);
  await ports.database.transaction(everyClient, async (tx) => {
    const user = (await lockUser(tx, found.id)) ?? refuse('link_not_found');
    // Of two at once the second finds the link ended.
    if ((await lockAccountLink(tx, linkSha256)) !== user.id) return refuse('link_not_found');
    await forgetPasswordTries(tx, user.email);
    const action = 'password.reset';
    return setPassword(tx, { caller, user, passwordHash, keptId: null, action }, ports);
  });
  return { status: 204, setCookie: { value: null } };
});
