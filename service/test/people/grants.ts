// Access tokens without the flows: a grant of a person at a client, and a token for it.

import { hash, randomBytes } from 'node:crypto';
import type { Ports } from '../../src/engine/ports.ts';
import { insertGrant } from '../../src/storage/oauth/oauth-grants.ts';
import { upsertOauthRecord } from '../../src/storage/oauth/oauth-records.ts';
import { newId } from '../harness.ts';

export type TestGrant = {
  readonly grantId: string;
  readonly applicationId: string;
  readonly accessToken: string;
  /** The value of the `Authorization` header. */
  readonly authorization: string;
};

/** A person's grant to an application known by its metadata document, and an access token for it. */
export async function aGrant(
  ports: Pick<Ports, 'database'>,
  given: {
    user: { readonly id: string };
    client: { readonly id: string };
    scopes: readonly string[];
    /** The application; a new one by default. */
    applicationId?: string;
    lifeSeconds?: number;
    /** True for a token that is valid only for /mcp. */
    isForAgents?: boolean;
  },
): Promise<TestGrant> {
  const { database } = ports;
  const { user, client, scopes, lifeSeconds = 3600 } = given;
  const grantId = newId();
  const applicationId = given.applicationId ?? `https://${grantId}.example.test/application.json`;
  await database.transaction(client.id, (tx) =>
    insertGrant(tx, {
      id: grantId,
      clientId: client.id,
      userId: user.id,
      applicationId,
      isMade: !applicationId.startsWith('https:'),
      applicationName: 'A test application',
      scopes,
      lifeSeconds,
    }),
  );
  const accessToken = randomBytes(32).toString('base64url');
  await upsertOauthRecord(database, {
    idSha256: hash('sha256', accessToken, 'buffer'),
    model: 'AccessToken',
    grantId,
    scopes,
    isForAgents: given.isForAgents ?? false,
    userCodeDigest: null,
    payloadSealed: Buffer.from('never opened'),
    lifeSeconds,
  });
  return { grantId, applicationId, accessToken, authorization: `Bearer ${accessToken}` };
}
