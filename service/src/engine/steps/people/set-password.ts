import type { Tx } from '../../../storage/database/database.ts';
import { endAccountLinks } from '../../../storage/people/account-links.ts';
import { endSignInsOf } from '../../../storage/people/sign-ins.ts';
import { type UserProofs, updatePassword } from '../../../storage/people/users.ts';
import type { Caller, Ports } from '../../ports.ts';
import { recordChange } from '../audit-log/record-change.ts';
import { queueSecurityMail } from './security-mails.ts';

/** Facts about the person that are no secret, so that they do not make a password strong. */
export const guessableFacts = ({ email, name }: UserProofs) => [email, name];

type NewPassword = {
  readonly caller: Caller;
  readonly user: UserProofs;
  readonly passwordHash: string;
  /** The sign-in that continues; null: none does. */
  readonly keptId: string | null;
  readonly action: 'password.changed' | 'password.reset';
};

/** Sets the password. It ends every other sign-in, and every mailed link that is still valid. */
export async function setPassword(tx: Tx, given: NewPassword, ports: Ports): Promise<void> {
  const { caller, user, passwordHash, keptId, action } = given;
  await updatePassword(tx, user.id, { passwordHash, provesEmail: action === 'password.reset' });
  await endAccountLinks(tx, user.id);
  await endSignInsOf(tx, user.id, keptId);
  const about = { resourceType: 'account', resourceId: user.id, userId: user.id };
  await recordChange(tx, caller, { action, ...about }, ports);
  await queueSecurityMail(tx, { to: user.email, kind: 'password_changed' }, ports);
}
