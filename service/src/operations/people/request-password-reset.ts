import { hash } from 'node:crypto';
import { requestPasswordReset as row } from '@svc/contract/account/account';
import { implement } from '../../engine/implement.ts';
import type { Caller, Ports } from '../../engine/ports.ts';
import { refuseField } from '../../engine/refuse-field.ts';
import { recordChange } from '../../engine/steps/audit-log/record-change.ts';
import { makePasswordLink } from '../../engine/steps/people/issue-password-link.ts';
import { queueResetMail } from '../../engine/steps/people/security-mails.ts';
import { everyClient } from '../../storage/database/database.ts';
import { findLinkOwner } from '../../storage/people/account-links.ts';
import { findUserByEmail, lockUser } from '../../storage/people/users.ts';

/** The most links that are mailed to one account in an hour. */
const mostLinksAnHour = 5;

/**
 * Longer than the work for a known address takes. Every answer takes this long, so that its time
 * reveals nothing.
 */
const answerMs = 250;

/**
 * Mails a link for setting a new password, to an address or to the owner of a former link. The answer does not
 * reveal whether there is such an account. Refuses invalid_request.
 */
export const requestPasswordReset = implement(row)(async ({ body }, caller, ports) => {
  const { email, link } = body;
  if ((email === undefined) === (link === undefined))
    refuseField('email', 'Give an address or a link.');
  const [outcome] = await Promise.allSettled([
    mailLink(body, caller, ports),
    new Promise<void>((resolve) => void setTimeout(resolve, answerMs)),
  ]);
  if (outcome.status === 'rejected') throw outcome.reason;
  return { status: 202 };
});

async function mailLink(
  { email, link = '' }: { readonly email?: string; readonly link?: string },
  caller: Caller,
  ports: Ports,
): Promise<void> {
  const address = email ?? (await findLinkOwner(ports.database, hash('sha256', link, 'buffer')));
  const found = address && (await findUserByEmail(ports.database, address));
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
