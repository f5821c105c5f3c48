import { type RecentAccess, endRecentAccess as row } from '@svc/contract/account/recent-access';
import { recentAccessDays } from '../../domain/people/recent-access.ts';
import { implement } from '../../engine/implement.ts';
import type { Ports } from '../../engine/ports.ts';
import { revokeToken } from '../../engine/steps/api-tokens/revoke-token.ts';
import { type Change, recordChange } from '../../engine/steps/audit-log/record-change.ts';
import {
  lockPerson,
  type PersonCaller,
  requirePerson,
} from '../../engine/steps/people/require-person.ts';
import { queueSecurityMail } from '../../engine/steps/people/security-mails.ts';
import { lockTokenOf } from '../../storage/api-tokens/tokens-by-owner.ts';
import { findRecentAccess, type MadeAccess } from '../../storage/credentials/recent-access.ts';
import { readClock } from '../../storage/database/clock.ts';
import { everyClient, type Tx } from '../../storage/database/database.ts';
import { endInvitation } from '../../storage/invitations/invitations.ts';
import { revokeGrant } from '../../storage/oauth/oauth-grants.ts';
import { countPasskeys, removePasskey } from '../../storage/people/passkeys.ts';
import { endSignInOf } from '../../storage/people/sign-ins.ts';
import type { UserProofs } from '../../storage/people/users.ts';

/**
 * Ends the named items of that list, or all of them, in one transaction; never the sign-in that
 * asks. Refuses last_proof_kept where a person without a password would be left without a passkey.
 */
export const endRecentAccess = implement(row)(async ({ body }, caller, ports, refuse) => {
  const person = requirePerson(caller);
  const { items } = body;
  const isChosen = ({ kind, id }: MadeAccess): boolean =>
    id !== person.signInId &&
    (items === undefined || items.some((item) => item.kind === kind && item.id === id));
  const ended = await ports.database.transaction(everyClient, async (tx) => {
    const user = await lockPerson(tx, person);
    const meant = (await findRecentAccess(tx, person.userId, recentAccessDays)).filter(isChosen);
    let count = 0;
    for (const made of meant) {
      if (await endByKind[made.kind](tx, made, { person, user, ports })) count += 1;
    }
    const hasPasskey = meant.some(({ kind }) => kind === 'passkey');
    if (hasPasskey && user.passwordHash === null && (await countPasskeys(tx, user.id)) === 0) {
      return refuse('last_proof_kept');
    }
    return count;
  });
  ports.nudge('deliver-webhooks');
  return { status: 200, body: { ended } };
});

type EndContext = {
  readonly person: PersonCaller;
  readonly user: UserProofs;
  readonly ports: Ports;
};
type End = (tx: Tx, made: MadeAccess, by: EndContext) => Promise<boolean>;

/**
 * Ends each kind of access, with the audit entry of the row that ends it alone; false where it had
 * ended meanwhile.
 */
const endByKind: Readonly<Record<RecentAccess['kind'], End>> = {
  async sign_in(tx, { id }, by) {
    if (!(await endSignInOf(tx, id, by.user.id))) return false;
    return recordEnd(tx, by, { action: 'sign_in.ended', resourceType: 'sign_in', resourceId: id });
  },
  async passkey(tx, { id }, by) {
    const name = await removePasskey(tx, id, by.user.id);
    if (name === undefined) return false;
    await queueSecurityMail(tx, { to: by.user.email, kind: 'passkey_removed' }, by.ports);
    const change = { action: 'passkey.removed', resourceType: 'passkey', resourceId: id };
    return recordEnd(tx, by, { ...change, before: { name } });
  },
  async api_token(tx, { id }, { person, ports }) {
    const token = await lockTokenOf(tx, id);
    if (!token || token.revokedAt !== null) return false;
    await revokeToken(tx, token, { by: person, now: await readClock(tx), ports });
    return true;
  },
  async consent(tx, { id }, by) {
    const grant = await revokeGrant(tx, id);
    if (!grant) return false;
    const { clientId, applicationId } = grant;
    const change = { action: 'consent.revoked', resourceType: 'consent', resourceId: id };
    return recordEnd(tx, by, { ...change, clientId, before: { applicationId } });
  },
  async invitation(tx, { id, clientId, name }, by) {
    if (clientId === null || !(await endInvitation(tx, { clientId, id }, { state: 'revoked' }))) {
      return false;
    }
    const change = { action: 'invitation.revoked', resourceType: 'invitation', resourceId: id };
    return recordEnd(tx, by, { ...change, clientId, before: { email: name } });
  },
};

async function recordEnd(tx: Tx, { person, ports }: EndContext, change: Change): Promise<true> {
  await recordChange(tx, person, { userId: person.userId, ...change }, ports);
  return true;
}
