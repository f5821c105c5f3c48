import { listConsents as row } from '@svc/contract/developers/applications';
import { implement } from '../../engine/implement.ts';
import { knownScopesOf } from '../../engine/steps/applications/show-application.ts';
import { requirePerson } from '../../engine/steps/people/require-person.ts';
import { findConsentsOf } from '../../storage/oauth/oauth-grants.ts';

/** Lists the consents that the person gave and applications use. Contract §6. */
export const listConsents = implement(row)(async (_input, caller, ports) => {
  const { userId } = requirePerson(caller);
  const consents = await findConsentsOf(ports.database, userId);
  const data = consents.map(({ createdAt, lastUsedAt, scopes, ...consent }) => ({
    object: 'consent' as const,
    ...consent,
    scopes: knownScopesOf(scopes),
    createdAt: createdAt.toISOString(),
    lastUsedAt: lastUsedAt.toISOString(),
  }));
  return { status: 200, body: { data } };
});
