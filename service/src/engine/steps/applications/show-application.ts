import type { Application as ShownApplication } from '@svc/contract/applications';
import { scopes as knownScopes, type Scope } from '@svc/contract/scopes';
import type { Application } from '../../../storage/accounts/applications.ts';

/** As the API shows it. Its secret is in the answer that made it alone. */
export const showApplication = (application: Application): ShownApplication => ({
  object: 'application',
  id: application.id,
  name: application.name,
  uri: application.uri,
  kind: application.kind,
  redirectUris: [...application.redirectUris],
  scopes: knownOf(application.scopes),
  version: application.version,
  createdAt: application.createdAt.toISOString(),
  updatedAt: application.updatedAt.toISOString(),
});

export const knownOf = (scopes: readonly string[]): Scope[] =>
  knownScopes.filter((scope) => scopes.includes(scope));

/** What the audit log keeps of it. */
export const auditedOf = ({ name, uri, kind, redirectUris, scopes }: Application) => ({
  name,
  uri,
  kind,
  redirectUris,
  scopes,
});
