import type { Application as ShownApplication } from '@svc/contract/developers/applications';
import { scopes as knownScopes, type Scope } from '@svc/contract/rows/scopes';
import type { Application } from '../../../storage/oauth/applications.ts';

/** The application as the API shows it. Its secret is only in the answer that created it. */
export const showApplication = (application: Application): ShownApplication => ({
  object: 'application',
  id: application.id,
  name: application.name,
  uri: application.uri,
  kind: application.kind,
  redirectUris: [...application.redirectUris],
  scopes: knownScopesOf(application.scopes),
  version: application.version,
  createdAt: application.createdAt.toISOString(),
  updatedAt: application.updatedAt.toISOString(),
});

export const knownScopesOf = (scopes: readonly string[]): Scope[] =>
  knownScopes.filter((scope) => scopes.includes(scope));

/** The fields of an application that the audit log keeps. */
export const auditedOf = ({ name, uri, kind, redirectUris, scopes }: Application) => ({
  name,
  uri,
  kind,
  redirectUris,
  scopes,
});
