// Configures the OAuth library: opaque tokens for one audience, code with PKCE and the device flow,
// and only the service's own cookie states who is signed in. Contract §6.

import { createPrivateKey, hash, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { scopes as knownScopes } from '@svc/contract/rows/scopes';
import type Provider from 'oidc-provider';
import type { Client, Configuration, JWK, KoaContextWithOIDC } from 'oidc-provider';
import { Refusal } from '../domain/protocol/refusal.ts';
import { isUnavailable } from '../engine/is-unavailable.ts';
import { isPersonEnabled } from '../engine/steps/oauth/find-person.ts';
import { openAdapter } from './adapter.ts';
import type { Budget } from './budgets.ts';
import { consentPolicy, type FindSignedIn, findConsent } from './consent-policy.ts';
import { describeApplication } from './describe-application.ts';
import type { Documents } from './documents.ts';
import { renderError } from './error-page.ts';
import { allowedScopesOf, type Context, textOf } from './library.ts';
import { agentsAddress } from './mcp-resource.ts';
import { Polling } from './polling.ts';
import type { OauthSettings, Traces } from './settings.ts';
import { GrantEnded, noWrites, type TokenWrites, writeTokens } from './token-writes.ts';

const hour = 3600;
const day = 24 * hour;

/**
 * Returns the path that the cookie of an authorization request is bound to, on the way to the
 * consent page.
 */
export const interactionPath = (uid: string): string => `/oauth/interactions/${uid}`;

export type Room = OauthSettings & {
  /** The traces of requests that the library is answering. */
  readonly tracesOf: WeakMap<IncomingMessage, Traces>;
  /** Limits applications with wrong credentials, by address. */
  readonly failures: Budget;
  /** Limits applications that present an unknown code or refresh token, by address. */
  readonly wrongGrants: Budget;
  readonly documents: Documents;
  readonly signedIn: FindSignedIn;
};

/**
 * Returns the resources that a request may name: the service, in the spellings of its URL, and /mcp
 * alone.
 */
export const audiencesOf = (baseUrl: string): string[] => [
  baseUrl,
  `${baseUrl}/`,
  agentsAddress(baseUrl),
];

/** Returns the requested scopes that the application may have. */
export function offeredScopes(asked: string | undefined, client: Client): string[] {
  const wanted = new Set((asked ?? '').split(' '));
  const allowed = allowedScopesOf(client) ?? knownScopes;
  return knownScopes.filter((scope) => wanted.has(scope) && allowed.includes(scope));
}

/** A secret is stored as its digest, which the library passes here as the client's secret. */
function compareSecret(this: Client, given: string): boolean {
  const kept = Buffer.from(this.clientSecret ?? '', 'hex');
  const digest = hash('sha256', given, 'buffer');
  return kept.length === digest.length && timingSafeEqual(kept, digest);
}

/**
 * Refuses an unknown response type by its own code (RFC 6749 §4.1.2.1): the library checks the
 * response mode first, and the mode that follows from another type than `code` is none of ours.
 */
function refuseOtherTypes({ Client }: Provider, { errors }: Library): void {
  const { responseModeAllowed } = Client.prototype;
  Client.prototype.responseModeAllowed = function (mode, type, profile) {
    if (type !== undefined && type !== 'code') throw new errors.UnsupportedResponseType();
    return responseModeAllowed.call(this, mode, type, profile);
  };
}

/** Loads the library: a tenth of a second and 47 MB, which a service without OAuth calls saves. */
export async function openProvider(room: Room): Promise<Provider> {
  const library = await import('oidc-provider');
  const { baseUrl } = room.ports.settings;
  const provider = new library.Provider(baseUrl, configuration(room, library));
  provider.Client.prototype.compareClientSecret = compareSecret;
  refuseOtherTypes(provider, library);
  // Scheme and host are those of the public URL, whatever proxy is in front.
  provider.proxy = true;
  const unanswered = new WeakSet<object>();
  const reportFailed = (ctx: Context, error: Error) => {
    if (isUnavailable(error)) unanswered.add(ctx);
    const { requestId } = room.tracesOf.get(ctx.req) ?? {};
    const text = error.stack ?? error.message;
    room.log.error('an OAuth request failed', { ...(requestId ? { requestId } : {}), error: text });
  };
  provider.on('server_error', reportFailed);
  // The remaining errors: connections that were cut while the library read from them.
  (provider as EventEmitter).on('error', () => undefined);
  const polling = new Polling();
  provider.use((ctx, next) => limitWrongGrants(ctx, next, room));
  provider.use((ctx, next) => slowDown(ctx, next, polling));
  provider.use(async (ctx, next) => {
    await next();
    const crowd = crowded.get(ctx.req);
    if (crowd) answerLater(ctx, crowd);
    else if (ctx.status === 401) refuseGuesses(ctx, room);
    if (unanswered.has(ctx)) {
      ctx.status = 503;
      ctx.set('retry-after', '1');
    }
    redirectToConsent(ctx, baseUrl);
  });
  provider.use((ctx, next) => settleTokens(ctx, next, { room, failed: reportFailed }));
  return provider;
}

const writesOf = new WeakMap<IncomingMessage, TokenWrites>();

/** Ends a token request: what the library decided is written, or the request fails and no token is given. */
async function settleTokens(
  ctx: Context,
  next: () => Promise<void>,
  { room, failed }: { room: Room; failed: (ctx: Context, error: Error) => void },
): Promise<void> {
  const traces = room.tracesOf.get(ctx.req);
  if (ctx.path !== '/oauth/token' || !traces) return next();
  const writes = noWrites();
  writesOf.set(ctx.req, writes);
  await next();
  if (ctx.status >= 500) return;
  // A device that was refused has used up its code, and gets no token.
  const { used, given } = writes;
  try {
    await writeTokens(
      { used, given: ctx.status === 200 ? given : [] },
      { ports: room.ports, traces },
    );
  } catch (error) {
    const isOver = error instanceof GrantEnded;
    ctx.status = isOver ? 400 : 500;
    ctx.body = isOver
      ? { error: 'invalid_grant', error_description: 'grant request is invalid' }
      : { error: 'server_error', error_description: 'oops! something went wrong' };
    if (!isOver) failed(ctx, error as Error);
  }
}

/** Only failures are limited: an address may be shared, and a right secret still passes. */
function refuseGuesses(ctx: Context, { failures, tracesOf }: Room): void {
  const { address = '' } = tracesOf.get(ctx.req) ?? {};
  try {
    failures.check(address);
    failures.take(address);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    answerLater(ctx, error);
  }
}

/** Rejects before the work: each look-up for a stranger reads, decrypts and compares. */
async function limitWrongGrants(
  ctx: Context,
  next: () => Promise<void>,
  { wrongGrants, tracesOf }: Room,
): Promise<void> {
  const { address = '' } = tracesOf.get(ctx.req) ?? {};
  if (ctx.path !== '/oauth/token') return next();
  try {
    wrongGrants.check(address);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return answerLater(ctx, error);
  }
  await next();
  const { error } = (ctx.body ?? {}) as { error?: string };
  if (ctx.status === 400 && error === 'invalid_grant') wrongGrants.take(address);
}

/** Slows down a device that asks too often while its person has not decided. RFC 8628 §3.5. */
async function slowDown(ctx: Context, next: () => Promise<void>, polling: Polling): Promise<void> {
  await next();
  if (ctx.path !== '/oauth/token' || ctx.status !== 400) return;
  const { error } = (ctx.body ?? {}) as { error?: string };
  const { device_code: code } = ctx.oidc?.params ?? {};
  if (error !== 'authorization_pending' || typeof code !== 'string') return;
  if (!polling.isTooSoon(code)) return;
  ctx.body = { error: 'slow_down', error_description: 'ask five seconds later from now on' };
}

function answerLater(ctx: Context, { message, facts }: Refusal): void {
  ctx.status = 429;
  ctx.set('retry-after', String(facts.retryAfter ?? 60));
  ctx.body = { error: 'temporarily_unavailable', error_description: message };
}

/** Requests whose application was not looked up because of the limit; the library treats it as unknown. */
const crowded = new WeakMap<object, Refusal>();

async function describe(url: string, room: Room, { Provider }: Library): Promise<Response> {
  const { ctx } = Provider;
  // The consent page looks the application of a waiting request up again: that look-up has no
  // current request.
  const address = ctx ? (room.tracesOf.get(ctx.req)?.address ?? '') : null;
  try {
    return await describeApplication(url, (asked) => room.documents.fetch(asked, address));
  } catch (error) {
    if (ctx && error instanceof Refusal) crowded.set(ctx.req, error);
    throw error;
  }
}

/** Redirects to the consent page, and removes the cookie of the library's own session, which is empty. */
function redirectToConsent(ctx: Context, baseUrl: string): void {
  const location = String(ctx.response.get('location'));
  const start = `${baseUrl}${interactionPath('')}`;
  if (location.startsWith(start)) {
    ctx.set('location', `${baseUrl}/account/authorize/${location.slice(start.length)}`);
    ctx.body = '';
  }
  const cookies = [ctx.response.get('set-cookie')].flat().filter(Boolean);
  if (cookies.length > 0) {
    ctx.set(
      'set-cookie',
      cookies.filter((cookie) => !cookie.startsWith('svc_oauth_session')),
    );
  }
}

type Library = typeof import('oidc-provider');

function configuration(room: Room, library: Library): Configuration {
  const { ports, key, formerKeys = [] } = room;
  const { baseUrl } = ports.settings;
  const audiences = audiencesOf(baseUrl);
  const adapterSettings = {
    ports,
    key,
    audiences,
    traces: () => currentTraces(room, library),
    tokenWrites: () => {
      const request = library.Provider.ctx?.req;
      return request && writesOf.get(request);
    },
  };
  return {
    adapter: (name: string) => openAdapter(name, adapterSettings),
    cookies: {
      // The first key signs; the others verify what they have signed.
      keys: [key, ...formerKeys].map(cookieKey),
      names: { session: 'svc_oauth_session', interaction: 'svc_oauth', resume: 'svc_oauth_resume' },
    },
    jwks: { keys: [unusedKey(key)] },
    extraClientMetadata: { properties: ['allowed'] },
    scopes: [],
    claims: {},
    subjectTypes: ['public'],
    responseTypes: ['code'],
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
    clientDefaults: { id_token_signed_response_alg: 'Ed25519' },
    pkce: { required: () => true },
    allowOmittingSingleRegisteredRedirectUri: false,
    rotateRefreshToken: true,
    issueRefreshToken: async (_: unknown, client: Client) =>
      client.grantTypeAllowed('refresh_token'),
    expiresWithSession: async () => false,
    revokeGrantPolicy: async () => true,
    loadExistingGrant: findConsent,
    findAccount: async (_: unknown, sub: string) =>
      (await isPersonEnabled(sub, ports))
        ? { accountId: sub, claims: async () => ({ sub }) }
        : undefined,
    interactions: {
      url: (_: unknown, { uid }: { uid: string }) => `${baseUrl}${interactionPath(uid)}`,
      policy: consentPolicy(room, library),
    },
    renderError,
    routes: {
      authorization: '/oauth/authorize',
      token: '/oauth/token',
      revocation: '/oauth/revoke',
      introspection: '/oauth/introspect',
      device_authorization: '/oauth/device_authorization',
      code_verification: '/account/device',
    },
    ttl: {
      AccessToken: hour,
      AuthorizationCode: 60,
      DeviceCode: 10 * 60,
      Grant: 90 * day,
      Interaction: hour,
      // At most 90 days after the consent: the store limits it.
      RefreshToken: 30 * day,
      Session: 60,
    },
    fetch: (url) => describe(url instanceof Request ? url.url : String(url), room, library),
    features: features(room, library, audiences),
  };
}

function features(
  room: Room,
  library: Library,
  audiences: readonly string[],
): NonNullable<Configuration['features']> {
  const { baseUrl } = room.ports.settings;
  const belongsTo = (client: Client, token: { clientId?: string | undefined }) =>
    token.clientId === client.clientId;
  return {
    devInteractions: { enabled: false },
    dPoP: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    rpInitiatedLogout: { enabled: false },
    userinfo: { enabled: false },
    revocation: {
      enabled: true,
      allowedPolicy: async (_: unknown, client: Client, token: { clientId?: string | undefined }) =>
        belongsTo(client, token),
    },
    introspection: {
      enabled: true,
      allowedPolicy: async (_: unknown, client: Client, token: { clientId?: string | undefined }) =>
        belongsTo(client, token) && client.clientAuthMethod !== 'none',
    },
    deviceFlow: { enabled: true, charset: 'base-20', mask: '****-****' },
    clientIdMetadataDocument: {
      enabled: true,
      ack: 'draft-02',
      cacheDuration: { min: hour, max: day },
    },
    resourceIndicators: {
      enabled: true,
      defaultResource: async (_: unknown, __: unknown, oneOf?: readonly string[]) =>
        oneOf?.[0] ?? baseUrl,
      useGrantedResource: async () => true,
      getResourceServerInfo: async (ctx: KoaContextWithOIDC, resource: string, client: Client) => {
        if (!audiences.includes(resource)) throw new library.errors.InvalidTarget();
        refuseScopes(ctx, client, library);
        return {
          // A token for /mcp opens nothing else of the service. RFC 8707 §2.2.
          audience: resource === agentsAddress(baseUrl) ? resource : baseUrl,
          scope: (allowedScopesOf(client) ?? knownScopes).join(' '),
          accessTokenTTL: hour,
          accessTokenFormat: 'opaque',
        };
      },
    },
  };
}

const asking = new Set(['authorization', 'device_authorization']);

/** RFC 6749 §3.3: unknown scopes are ignored; when none remains, or for openid, the request is refused. */
function refuseScopes({ oidc }: KoaContextWithOIDC, client: Client, { errors }: Library): void {
  if (!asking.has(oidc.route)) return;
  const scope = textOf(oidc.params?.scope);
  if (scope?.split(' ').includes('openid')) {
    throw new errors.InvalidScope('this server gives no identities', 'openid');
  }
  if (offeredScopes(scope, client).length === 0) {
    const description = 'ask for at least one scope that the application may have';
    throw new errors.CustomOIDCProviderError('invalid_scope', description);
  }
}

const ed25519Start = Buffer.from('302e020100300506032b657004220420', 'hex');

const cookieKey = (key: Buffer): string =>
  Buffer.from(hkdfSync('sha256', key, '', 'svc oauth cookies v1', 32)).toString('hex');

/** The library requires a signing key, but nothing is ever signed with it. */
function unusedKey(key: Buffer): JWK {
  const seed = Buffer.from(hkdfSync('sha256', key, '', 'svc oauth unused key v1', 32));
  const der = Buffer.concat([ed25519Start, seed]);
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }).export({ format: 'jwk' });
}

function currentTraces({ tracesOf }: Room, { Provider }: Library): Traces {
  const request = Provider.ctx?.req;
  const traces = request && tracesOf.get(request);
  if (!traces) throw new Error('the OAuth library works for no request');
  return traces;
}
