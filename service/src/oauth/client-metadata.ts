// Returns applications in the form that the OAuth library expects (RFC 7591 §2).

import type { ClientMetadata } from 'oidc-provider';
import { isNativeRedirect } from '../domain/protocol/redirect-uri.ts';
import { writtenUuidPattern } from '../domain/protocol/uuid.ts';
import type { Ports } from '../engine/ports.ts';
import { findLiveApplication } from '../storage/oauth/applications.ts';

export const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

/** What every application may use, whoever described it. */
export const metadataForAll = (
  redirectUris: readonly string[],
): Omit<ClientMetadata, 'client_id'> => ({
  application_type: redirectUris.some(isNativeRedirect) ? 'native' : 'web',
  grant_types: [
    ...(redirectUris.length > 0 ? ['authorization_code'] : []),
    'refresh_token',
    deviceGrant,
  ],
  response_types: redirectUris.length > 0 ? ['code'] : [],
  // A form that submits itself needs a script, and the service's pages load none from elsewhere.
  response_modes: ['query'],
});

/** Returns the application that a merchant registered; its secret is given as a digest. */
export async function findClientMetadata(
  id: string,
  ports: Pick<Ports, 'database'>,
): Promise<ClientMetadata | undefined> {
  if (!writtenUuidPattern.test(id)) return undefined;
  const application = await findLiveApplication(ports.database, id);
  if (!application) return undefined;
  const { name, uri, redirectUris, scopes, secretSha256 } = application;
  return {
    client_id: application.id,
    client_name: name,
    ...(uri === null ? {} : { client_uri: uri }),
    redirect_uris: redirectUris,
    allowed: scopes,
    ...(secretSha256 === null
      ? { token_endpoint_auth_method: 'none' }
      : {
          token_endpoint_auth_method: 'client_secret_basic',
          client_secret: secretSha256.toString('hex'),
        }),
    ...metadataForAll(redirectUris),
  };
}
