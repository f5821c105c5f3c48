// Mails to the owner of an account about changes to its passwords, codes and passkeys, so that
// nobody changes them unnoticed.

import { passwordPageAt } from '../../../domain/people/sign-in.ts';
import type { Tx } from '../../../storage/database/database.ts';
import type { Ports } from '../../ports.ts';
import { queueMail } from '../mails/queue-mail.ts';

const securityMails = {
  password_changed: {
    subject: 'Your password was changed',
    what: 'The password of your account was changed, and every other browser was signed out.',
  },
  authenticator_on: {
    subject: 'An authenticator was set up',
    what: 'From now on your account asks for a code of your authenticator after the password.',
  },
  authenticator_off: {
    subject: 'The authenticator was switched off',
    what: 'Your account no longer asks for a code of your authenticator.',
  },
  recovery_codes_renewed: {
    subject: 'New recovery codes were made',
    what: 'New recovery codes were made for your account. The former ones no longer work.',
  },
  recovery_code_used: {
    subject: 'A recovery code was used',
    what: 'Somebody signed in to your account with a recovery code instead of the authenticator.',
  },
  passkey_added: {
    subject: 'A passkey was added',
    what: 'A passkey was added to your account. Whoever has it can sign in.',
  },
  passkey_removed: {
    subject: 'A passkey was removed',
    what: 'A passkey was removed from your account. It can no longer sign in.',
  },
} as const;

/** Queues a mail to the owner of the account, which is sent once the transaction has committed. */
export async function queueSecurityMail(
  tx: Tx,
  { to, kind }: { readonly to: string; readonly kind: keyof typeof securityMails },
  ports: Ports,
): Promise<void> {
  const { subject, what } = securityMails[kind];
  const text = [
    what,
    '',
    'If that was you, there is nothing to do.',
    `If it was not, set a new password at once: ${ports.settings.baseUrl}/account/forgotten`,
    `Then end what you do not know: ${ports.settings.baseUrl}/account/recent`,
  ].join('\n');
  await queueMail(tx, { to, kind, subject, text, clientId: null }, ports);
}

/** Mails the link for setting a new password. */
export async function queueResetMail(
  tx: Tx,
  { to, url }: { readonly to: string; readonly url: string },
  ports: Ports,
): Promise<void> {
  const text = [
    'Somebody, most likely you, asked for a new password for your account.',
    'This link sets one. It works once, within 30 minutes:',
    '',
    url,
    '',
    'If that was not you, leave it: your password stays as it is.',
  ].join('\n');
  const subject = 'Set a new password';
  await queueMail(tx, { to, kind: 'password_reset', subject, text, clientId: null }, ports);
}

/**
 * The page on which a link sets the password. The link's secret is in the fragment, which browsers
 * send to no server.
 */
export const resetUrl = (link: string, ports: Ports): string =>
  `${passwordPageAt(ports.settings.baseUrl)}#${link}`;
