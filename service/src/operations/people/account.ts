import {
  getAccount as getRow,
  listMemberships as membershipsRow,
  listSignIns as signInsRow,
  updateAccount as updateRow,
} from '@svc/contract/account';
import type { Account } from '@svc/contract/account-shapes';
import { permissionsOf } from '@svc/contract/roles';
import { recentProofMs } from '../../domain/people/sign-in.ts';
import { implement, refuse } from '../../engine/implement.ts';
import type { Ports } from '../../engine/ports.ts';
import { recordChange } from '../../engine/steps/audit-log/record-change.ts';
import {
  lockPerson,
  type PersonCaller,
  requirePerson,
} from '../../engine/steps/people/require-person.ts';
import { findMembershipsOf } from '../../storage/accounts/account-memberships.ts';
import { findSignInsOf } from '../../storage/accounts/sign-ins.ts';
import { findAccount, updateUserName } from '../../storage/accounts/users.ts';
import { everyClient } from '../../storage/database/database.ts';

const written = (at: Date | null): string | null => (at ? at.toISOString() : null);

async function readAccount({ userId, signInId }: PersonCaller, ports: Ports): Promise<Account> {
  const found = await findAccount(ports.database, userId, signInId);
  const account = found ?? refuse('sign_in_required');
  const { provenAt } = account;
  return {
    id: account.id,
    email: account.email,
    name: account.name,
    emailProvenAt: written(account.emailProvenAt),
    hasPassword: account.hasPassword,
    passwordChangedAt: written(account.passwordChangedAt),
    hasAuthenticator: account.hasTotp,
    recoveryCodesLeft: account.recoveryCodesLeft,
    passkeyCount: account.passkeyCount,
    signIn: {
      id: signInId,
      provenAt: provenAt.toISOString(),
      confirmedUntil: new Date(provenAt.getTime() + recentProofMs).toISOString(),
    },
    createdAt: account.createdAt.toISOString(),
  };
}

/** Reads the signed-in person's account, with the ways to sign in that are set up. */
export const getAccount = implement(getRow)(async (_input, caller, ports) => ({
  status: 200,
  body: await readAccount(requirePerson(caller), ports),
}));

/** Changes the person's name. */
export const updateAccount = implement(updateRow)(async ({ body }, caller, ports) => {
  const person = requirePerson(caller);
  const { userId } = person;
  await ports.database.transaction(everyClient, async (tx) => {
    const user = await lockPerson(tx, person);
    if (user.name === body.name) return;
    await updateUserName(tx, userId, body.name);
    const about = { resourceType: 'account', resourceId: userId, userId };
    const change = { before: { name: user.name }, after: { name: body.name } };
    await recordChange(tx, caller, { action: 'account.renamed', ...about, ...change }, ports);
  });
  return { status: 200, body: await readAccount(person, ports) };
});

/** Lists the browsers in which the person is signed in. */
export const listSignIns = implement(signInsRow)(async (_input, caller, ports) => {
  const { userId, signInId } = requirePerson(caller);
  const signIns = await findSignInsOf(ports.database, userId);
  const data = signIns.map(({ id, method, address, userAgent, ...at }) => ({
    id,
    method,
    address,
    userAgent,
    createdAt: at.createdAt.toISOString(),
    lastSeenAt: at.lastSeenAt.toISOString(),
    expiresAt: at.expiresAt.toISOString(),
    isThisOne: id === signInId,
  }));
  return { status: 200, body: { data } };
});

/** Lists the merchants that the person is a member of. */
export const listMemberships = implement(membershipsRow)(async (_input, caller, ports) => {
  const { userId } = requirePerson(caller);
  const memberships = await findMembershipsOf(ports.database, userId);
  const data = memberships.map(({ isLive, owners, ...membership }) => ({
    ...membership,
    permissions: permissionsOf(membership.role),
    owners: [...owners],
    livemode: isLive,
  }));
  return { status: 200, body: { data } };
});
