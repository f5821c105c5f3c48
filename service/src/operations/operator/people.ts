// Accounts as the operator looks after them: who there is, who may sign in, and a way back in.

import { normalizeEmail } from '../../domain/member.ts';
import { endAccountLinks } from '../../storage/account-links.ts';
import { everyClient } from '../../storage/database.ts';
import {
  findLeftBehind,
  listAllPeople,
  lockPersonOf,
  setPersonDisabled,
} from '../../storage/operator-views.ts';
import { endSignInsOf } from '../../storage/sign-ins.ts';
import { issuePasswordLink, type PasswordLink } from '../people/issue-password-link.ts';
import type { Ports } from '../ports.ts';
import { recordOperatorChange } from './record-operator-change.ts';

/** Everybody who has an account. */
export const findPeople = (ports: Ports) => listAllPeople(ports.database);

export type Disabled = {
  readonly endedSignIns: number;
  /** API tokens that go on: programs run with them. */
  readonly tokens: number;
  /** Names of clients that are left without an owner who can sign in. */
  readonly soleOwnerOf: readonly string[];
};

/**
 * Keeps a person from signing in, and ends every sign-in and mailed link at once; what was allowed to
 * applications rests with it. Undefined where nobody has the address. Again: nothing is written.
 */
export async function disablePerson(email: string, ports: Ports): Promise<Disabled | undefined> {
  return ports.database.transaction(everyClient, async (tx) => {
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
    return { endedSignIns: ended.length, ...(await findLeftBehind(tx, userId)) };
  });
}

/** Lets the person sign in again; false where nobody has the address. */
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

/** A one-time link that sets a new password; undefined where nobody has the address. */
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
