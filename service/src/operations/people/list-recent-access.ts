import { listRecentAccess as row } from '@svc/contract/account/recent-access';
import { recentAccessDays } from '../../domain/people/recent-access.ts';
import { implement } from '../../engine/implement.ts';
import { requirePerson } from '../../engine/steps/people/require-person.ts';
import { findRecentAccess } from '../../storage/credentials/recent-access.ts';

/** Lists the access that was opened with the person's account in the last 30 days and is still valid. */
export const listRecentAccess = implement(row)(async (_input, caller, ports) => {
  const { userId, signInId } = requirePerson(caller);
  const data = (await findRecentAccess(ports.database, userId, recentAccessDays)).map((made) => ({
    ...made,
    createdAt: made.createdAt.toISOString(),
    lastUsedAt: made.lastUsedAt?.toISOString() ?? null,
    isThisOne: made.kind === 'sign_in' && made.id === signInId,
  }));
  return { status: 200, body: { data } };
});
