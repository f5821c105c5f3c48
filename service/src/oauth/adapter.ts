// The storage of the OAuth library. Records are sealed and found by the digest of their value. The
// library uses this machine's clock, the store the service's, so instants are stored as distances
// and converted back relative to now.

import assert from 'node:assert';
import { createHmac, hkdfSync } from 'node:crypto';
import { scopes as knownScopes } from '@svc/contract/rows/scopes';
import type { Adapter, AdapterPayload } from 'oidc-provider';
import type { Ports } from '../engine/ports.ts';
import { endGrant } from '../engine/steps/oauth/end-grant.ts';
import { findGrant } from '../storage/oauth/oauth-grants.ts';
import {
  deleteOauthRecord,
  findOauthRecord,
  type OauthModel,
  type OauthRecord,
} from '../storage/oauth/oauth-records.ts';
import { findClientMetadata } from './client-metadata.ts';
import { agentsAddress } from './mcp-resource.ts';
import type { Traces } from './settings.ts';
import { digestOf, type TokenWrites, writeRecord } from './token-writes.ts';

export type AdapterSettings = {
  readonly ports: Ports;
  readonly key: Buffer;
  /** The names by which a request may name this service as the audience. */
  readonly audiences: readonly string[];
  /** Returns the traces of the current request. */
  traces(): Traces;
  /** Returns the writes of the current token request; undefined for every other request. */
  tokenWrites(): TokenWrites | undefined;
};

const seconds = (ms: number): number => Math.round(ms / 1000);
const nowSeconds = (): number => Math.floor(Date.now() / 1000);

const nothing: Adapter = {
  upsert: async () => undefined,
  find: async () => undefined,
  findByUid: async () => undefined,
  findByUserCode: async () => undefined,
  consume: async () => undefined,
  destroy: async () => undefined,
  revokeByGrantId: async () => undefined,
};

/** Registered applications; the library itself fetches those that are described by a metadata document. */
const clients = ({ ports }: AdapterSettings): Adapter => ({
  ...nothing,
  find: (id) => findClientMetadata(id, ports),
});

/** The grants that people gave. The consent creates them, not the library. */
const grantAdapter = ({ ports, audiences, traces }: AdapterSettings): Adapter => ({
  ...nothing,
  async find(id) {
    const grant = await findGrant(ports.database, id);
    if (!grant) return undefined;
    const scope = grant.scopes.join(' ');
    return {
      jti: grant.id,
      kind: 'Grant',
      accountId: grant.userId,
      clientId: grant.applicationId,
      resources: Object.fromEntries(audiences.map((audience) => [audience, scope])),
      iat: nowSeconds() - seconds(grant.now.getTime() - grant.createdAt.getTime()),
      exp: nowSeconds() + seconds(grant.expiresAt.getTime() - grant.now.getTime()),
    };
  },
  destroy: (id) => endGrant(id, { reason: 'revoked_by_application', traces: traces() }, ports),
});

/** When a grant ends, all its tokens end, because the look-up of a token joins the grant. */
const records = (model: OauthModel, settings: AdapterSettings): Adapter => {
  const { ports } = settings;
  const { database, sealedHere } = ports;
  const userCodeKey = Buffer.from(hkdfSync('sha256', settings.key, '', 'svc user codes v1', 32));
  // A code that a person types is short enough to be guessed from a plain digest, so the digest is keyed.
  const digestOfCode = (code: string) => createHmac('sha256', userCodeKey).update(code).digest();
  const placeOf = (digest: Buffer) =>
    ({ table: 'oauth_records', rowId: digest.toString('hex'), field: 'payload' }) as const;

  const readPayload = (record: OauthRecord | undefined): AdapterPayload | undefined => {
    if (!record) return undefined;
    const text = sealedHere.open(placeOf(record.idSha256), record.payloadSealed);
    return {
      ...(JSON.parse(text) as AdapterPayload),
      iat: nowSeconds() - seconds(record.now.getTime() - record.createdAt.getTime()),
      exp: nowSeconds() + seconds(record.expiresAt.getTime() - record.now.getTime()),
      ...(record.isConsumed ? { consumed: nowSeconds() } : {}),
    };
  };

  return {
    ...nothing,
    async upsert(id, payload, lifeSeconds) {
      assert(lifeSeconds !== undefined, `a ${model} without an expiry`);
      const idSha256 = digestOf(id);
      // The store sets the instants; the library's session is not stored.
      const { iat: _iat, exp: _exp, consumed: _consumed, session: _session, ...kept } = payload;
      const { grantId, scope, userCode } = kept as { [name: string]: string | undefined };
      const record = {
        idSha256,
        model,
        grantId: grantId ?? null,
        scopes: model === 'AccessToken' ? scopesOf(scope) : null,
        isForAgents: model === 'AccessToken' && kept.aud === agentsAddress(ports.settings.baseUrl),
        userCodeDigest: userCode === undefined ? null : digestOfCode(userCode),
        payloadSealed: sealedHere.seal(placeOf(idSha256), JSON.stringify(kept)),
        lifeSeconds,
      };
      const writes = settings.tokenWrites();
      if (writes) writes.given.push(record);
      else await writeRecord(database, record);
    },
    find: async (id) =>
      readPayload(await findOauthRecord(database, model, { by: 'id', digest: digestOf(id) })),
    findByUserCode: async (code) =>
      readPayload(
        await findOauthRecord(database, model, { by: 'userCode', digest: digestOfCode(code) }),
      ),
    async consume(id) {
      const writes = settings.tokenWrites();
      assert(writes, `a ${model} is used up by token requests alone`);
      writes.used.push({ model, digest: digestOf(id) });
    },
    destroy: (id) => deleteOauthRecord(database, digestOf(id)),
  };
};

function scopesOf(scope: string | undefined): string[] {
  const asked = new Set((scope ?? '').split(' '));
  return knownScopes.filter((known) => asked.has(known));
}

const models: readonly string[] = [
  'AccessToken',
  'AuthorizationCode',
  'DeviceCode',
  'Interaction',
  'RefreshToken',
] satisfies OauthModel[];

/** Returns the library's storage for one model. */
export function openAdapter(name: string, settings: AdapterSettings): Adapter {
  if (name === 'Client') return clients(settings);
  if (name === 'Grant') return grantAdapter(settings);
  // Only the service's own cookie states who is signed in: the library stores no session.
  if (name === 'Session') return nothing;
  assert(models.includes(name), `the OAuth server keeps no ${name}`);
  return records(name as OauthModel, settings);
}
