import { listSignIns as row } from '@svc/contract/account/account';
import { implement } from '../../engine/implement.ts';
import { requirePerson } from '../../engine/steps/people/require-person.ts';
import { findSignInsOf } from '../../storage/people/sign-ins.ts';

/** Lists the browsers in which the person is signed in. */
export const listSignIns = implement(row)(async (_input, caller, ports) => {
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
