// Accounts as the operator manages them: who has one, who may sign in, and a new password.

import { normalizeEmail } from '../../../domain/people/member.ts';
import { lockTokensOfPerson } from '../../../storage/api-tokens/tokens-by-owner.ts';
import {
  findLeftBehind,
  listAllPeople,
  lockPersonOf,
  setPersonDisabled,
} from '../../../storage/clients/operator-views.ts';
import { readClock } from '../../../storage/database/clock.ts';
import { everyClient } from '../../../storage/database/database.ts';
import { endAccountLinks } from '../../../storage/people/account-links.ts';
import { endSignInsOf } from '../../../storage/people/sign-ins.ts';
import type { Ports } from '../../ports.ts';
import { revokeToken } from '../../steps/api-tokens/revoke-token.ts';
import { recordOperatorChange } from '../../steps/audit-log/record-without-request.ts';
import { issuePasswordLink, type PasswordLink } from '../../steps/people/issue-password-link.ts';

/** Lists everybody who has an account. */
export const findPeople = (ports: Ports) => listAllPeople(ports.database);

export type DisabledPerson = {
  readonly endedSignIns: number;
  readonly revokedTokens: number;
  /** Names of clients that are left without an owner who can sign in. */
  readonly soleOwnerOf: readonly string[];
};

/**
 * Keeps a person from signing in, and ends all sign-ins, mailed links and API tokens at once and
 * for good; consents given to applications are suspended. Returns undefined when nobody has the
 * address. Disabling again writes no further entry.
 */
export async function disablePerson(
  email: string,
  ports: Ports,
): Promise<DisabledPerson | undefined> {
  const disabled = await ports.database.transaction(everyClient, async (tx) => {
    const person = await lockPersonOf(tx, normalizeEmail(email));
    if (!person) return undefined;
    const { userId } = person;
    if (!person.isDisabled) {
      await setPersonDisabled(tx, userId, true);
      const change = { action: 'account.disabled', resourceType: 'account', resourceId: userId };
      await recordOperatorChange(tx, { ...change, userId }, ports);
    }
    await endAccountLinks(tx, userId);
    const ended = await endSignInsOf(tx, userId, null);
    // Tokens are locked after the sign-ins have ended, so that none of those creates another token.
    const tokens = await lockTokensOfPerson(tx, userId);
    const now = await readClock(tx);
    for (const token of tokens) await revokeToken(tx, token, { by: 'operator', now, ports });
    const soleOwnerOf = await findLeftBehind(tx, userId);
    return { endedSignIns: ended.length, revokedTokens: tokens.length, soleOwnerOf };
  });
  ports.nudge('deliver-webhooks');
  return disabled;
}

/**
 * Lets the person sign in again; sessions, links and tokens that were ended stay ended. False when
 * no account has the address.
 */
export async function enablePerson(email: string, ports: Ports): Promise<boolean> {
  return ports.database.transaction(everyClient, async (tx) => {
    const person = await lockPersonOf(tx, normalizeEmail(email));
    if (!person) return false;
    const { userId } = person;
    if (!person.isDisabled) return true;
    await setPersonDisabled(tx, userId, false);
    const change = { action: 'account.enabled', resourceType: 'account', resourceId: userId };
    await recordOperatorChange(tx, { ...change, userId }, ports);
    return true;
  });
}

/** Creates a one-time link that sets a new password; undefined when no account has the address. */
export async function createPasswordLink(
  email: string,
  ports: Ports,
): Promise<PasswordLink | undefined> {
  return ports.database.transaction(everyClient, async (tx) => {
    const person = await lockPersonOf(tx, normalizeEmail(email));
    if (!person) return undefined;
    const { userId } = person;
    const change = {
      action: 'account.password_link_made',
      resourceType: 'account',
      resourceId: userId,
    };
    await recordOperatorChange(tx, { ...change, userId }, ports);
    return issuePasswordLink(tx, userId, ports);
  });
}
