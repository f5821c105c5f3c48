// Owners are notified of changes to owners, so that nobody who has obtained another's credential
// becomes an owner, or removes one, unnoticed.

import { roleWords } from '@svc/contract/rows/roles';
import { type MailWords, quotedName } from '../../../domain/people/mail.ts';
import type { Tx } from '../../../storage/database/database.ts';
import { findEmailOf } from '../../../storage/invitations/invited-people.ts';
import { listOwnerEmails } from '../../../storage/members/memberships.ts';
import type { Caller, Ports, Role } from '../../ports.ts';
import { queueMail } from '../mails/queue-mail.ts';

export type OwnerChange = {
  readonly clientId: string;
  readonly clientName: string;
  /** The address of the person whose role changes. */
  readonly email: string;
  /** Null: the person is not a member. One of `from` and `to` is `owner`. */
  readonly from: Role | null;
  readonly to: Role | null;
};

/**
 * Queues a mail to every present owner of the client, and to a person who was demoted, where an
 * owner was added, changed or removed; does nothing for any other change. Called after the change,
 * in its transaction.
 */
export async function notifyOwners(
  tx: Tx,
  change: OwnerChange,
  { by, ports }: { readonly by: Caller; readonly ports: Ports },
): Promise<void> {
  const { clientId, email, from, to } = change;
  if (from === to || (from !== 'owner' && to !== 'owner')) return;
  const owners = await listOwnerEmails(tx, clientId);
  const actor = await actorOf(tx, by);
  const words = compose(change, actor);
  // A person who was removed is notified by another mail.
  const concerned = to === null ? [] : [email];
  for (const each of new Set([...owners, ...concerned])) {
    await queueMail(tx, { ...words, to: each, kind: 'owner_changed', clientId }, ports);
  }
}

async function actorOf(tx: Tx, by: Caller): Promise<string | null> {
  if (by.kind !== 'server' && by.kind !== 'person') return null;
  return (await findEmailOf(tx, by.userId)) ?? null;
}

function describeOwnerChange({ email, clientName, from, to }: OwnerChange): string {
  const [who, where] = [quotedName(email), quotedName(clientName)];
  if (to === 'owner') {
    return from === null
      ? `${who} joined ${where} as an owner.`
      : `${who}, until now with the role ${roleWords[from].name} at ${where}, was made an owner of it.`;
  }
  return to === null
    ? `${who} is no longer an owner of ${where}, nor a member.`
    : `${who} is no longer an owner of ${where}, and has the role ${roleWords[to].name} there now.`;
}

function compose(change: OwnerChange, actor: string | null): MailWords {
  const isSelf = actor === change.email;
  return {
    subject: `Owners of ${quotedName(change.clientName)} have changed`,
    text: [
      describeOwnerChange(change),
      ...(actor === null || isSelf ? [] : [`It was done by ${quotedName(actor)}.`]),
      '',
      'Owners may do everything at the merchant: move its money, and invite and remove people.',
      'If this surprises you, look at the members and the audit log of the merchant at once.',
      '',
      'Svc',
    ].join('\n'),
  };
}
