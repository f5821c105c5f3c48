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

/** Facts about the person that are no secret, so that they do not make a password strong. */
const known = ({ email, name }: UserProofs) => [email, name];

type NewPassword = {
  readonly caller: Caller;
  readonly user: UserProofs;
  readonly passwordHash: string;
  /** The sign-in that continues; null: none does. */
  readonly keptId: string | null;
  readonly action: 'password.changed' | 'password.reset';
};

/** Sets the password. It ends every other sign-in, and every mailed link that is still valid. */
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

/** The most links that are mailed to one account in an hour. */
const mostLinksAnHour = 5;

/**
 * Longer than the work for a known address takes. Every answer takes this long, so that its time
 * reveals nothing.
 */
const answerMs = 250;

/** Mails a link for setting a new password. The answer does not reveal whether there is such an account. */
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
 * count of wrong passwords over all networks starts again, so that the owner of a locked account
 * can sign in. Refuses link_not_found for unknown, used and expired links alike, and
 * password_too_weak.
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
    // Of two concurrent requests, the second finds the link used.
    if ((await lockAccountLink(tx, linkSha256)) !== user.id) return refuse('link_not_found');
    await forgetPasswordTries(tx, user.email);
    const action = 'password.reset';
    return setPassword(tx, { caller, user, passwordHash, keptId: null, action }, ports);
  });
  return { status: 204, setCookie: { value: null } };
});
