import { hash } from 'node:crypto';
import { passwordLinkLifeMs } from '../../../domain/people/sign-in.ts';
import type { Tx } from '../../../storage/database/database.ts';
import { insertAccountLink } from '../../../storage/people/account-links.ts';
import type { Ports } from '../../ports.ts';
import { resetUrl } from './security-mails.ts';

export type PasswordLink = { readonly url: string; readonly expiresAt: Date };

/**
 * Makes a one-time link that sets the person's password, valid for 30 minutes. Returns undefined
 * when the links of this hour are used up (`mostAnHour`; null: no limit). Called in a transaction
 * of no client.
 */
export async function makePasswordLink(
  tx: Tx,
  { userId, mostAnHour }: { readonly userId: string; readonly mostAnHour: number | null },
  ports: Ports,
): Promise<PasswordLink | undefined> {
  const link = ports.randomBytes(32).toString('base64url');
  const expiresAt = await insertAccountLink(tx, {
    id: ports.newId(),
    userId,
    linkSha256: hash('sha256', link, 'buffer'),
    lifeMs: passwordLinkLifeMs,
    mostAnHour,
  });
  return expiresAt && { url: resetUrl(link, ports), expiresAt };
}

/** The same for the operator, without a limit. */
export async function issuePasswordLink(
  tx: Tx,
  userId: string,
  ports: Ports,
): Promise<PasswordLink> {
  const made = await makePasswordLink(tx, { userId, mostAnHour: null }, ports);
  if (!made) throw new Error('an unbounded link was refused');
  return made;
}
