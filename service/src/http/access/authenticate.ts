// Identifies the caller: client Basic and Bearer tokens for programs, the session's nonce for
// browsers, the page's token for the customer's own page, a cookie for a person on the service's
// own pages. Every failure of a server's credential gets one and the same 401. Contract §6,
// reliability §5.1: a header that two readers could understand differently is refused. What is
// cached from one request to the next opens nothing by itself: see recalled-tokens.ts.

import { hash } from 'node:crypto';
import { may } from '@svc/contract/rows/roles';
import type { Auth, RowShape } from '@svc/contract/rows/row';
import { lacksRole } from '../../domain/people/lacks-role.ts';
import { isRecentProof } from '../../domain/people/sign-in.ts';
import { localeFrom } from '../../domain/protocol/accept-language.ts';
import { Refusal } from '../../domain/protocol/refusal.ts';
import type { Caller, Ports } from '../../engine/ports.ts';
import { recordTokenUse } from '../../engine/steps/api-tokens/record-token-use.ts';
import {
  type VerifiedToken,
  verifyApiToken,
} from '../../engine/steps/api-tokens/verify-api-token.ts';
import { verifyPageToken } from '../../engine/steps/customer-pages/verify-page-token.ts';
import { verifyAccessToken } from '../../engine/steps/oauth/verify-access-token.ts';
import { findRole } from '../../engine/steps/people/membership.ts';
import { verifySignIn } from '../../engine/steps/people/verify-sign-in.ts';
import type { Limits } from '../limits/limits.ts';
import { rateLimited } from '../limits/rate-limited.ts';
import { readSignInCookie } from '../wire/cookies.ts';
import { assertOwnHost } from '../wire/own-host.ts';
import type { Arrival } from './arrival.ts';
import { type Admission, acceptsCredential, kindOf, mayCall } from './authorise.ts';
import {
  type CredentialHeaders,
  parseBasic,
  parseBearer,
  parseClientId,
  readCredentials,
} from './credentials.ts';
import { RecalledTokens, recallingRows } from './recalled-tokens.ts';

export type Authenticator = {
  /**
   * Throws authentication_required, sign_in_required, second_factor_required, cross_site_request,
   * merchant_role_required (for a person who has left the merchant),
   * checkout_session_token_required, customer_page_token_required, customer_page_not_found,
   * rate_limited.
   */
  authenticate(row: RowShape, arrival: Arrival): Promise<Admission>;
  /** Writes the collected uses of tokens and stops. */
  close(): Promise<void>;
};

type Settings = {
  readonly ports: Ports;
  readonly limits: Limits;
  /** Called with every credential that failed. */
  readonly onGuess?: (authorization: readonly string[]) => void;
  /** How often the uses of tokens are written, in ms. */
  readonly flushMs?: number;
};

/** An arrival whose headers have been read. */
type Visit = Arrival & { readonly headers: CredentialHeaders; readonly row: RowShape };

type Room = Settings & {
  readonly used: (tokenId: string) => void;
  readonly ownOrigin: string;
  readonly tokens: RecalledTokens;
};

/** Opens the only place where credentials are read. */
export function openAuthenticator(settings: Settings): Authenticator {
  const { ports, flushMs = 1000 } = settings;
  const uses = collectUses(ports, flushMs);
  const ownOrigin = new URL(ports.settings.baseUrl).origin;
  const room: Room = { ...settings, used: uses.add, ownOrigin, tokens: new RecalledTokens() };
  return {
    authenticate(row, arrival) {
      const visit = { ...arrival, headers: readCredentials(arrival.rawHeaders), row };
      return admit(visit, room);
    },
    close: uses.close,
  };
}

async function admit(visit: Visit, room: Room): Promise<Admission> {
  const { auth } = visit.row;
  const { authorization, nonces, pages, clients } = visit.headers;
  if (auth === 'customer-page') return program(await customer(visit, room));
  if (auth === 'session') {
    if (nonces.length === 0) throw new Refusal('checkout_session_token_required');
    if (!visit.row.vouches || authorization.length === 0) return program(session(visit));
    return program(await authenticateVouched(visit, room));
  }
  if (auth === 'person' || auth === 'visitor') {
    if (authorization.length > 0) throw reportFailed(auth, visit, room);
    return person(auth, visit, room);
  }
  if (auth === 'anyone') {
    if (authorization.length > 0) return program(await server(auth, visit, room));
    // A merchant's id without a credential is refused, not ignored.
    if (clients.length > 0) throw reportFailed(auth, visit, room);
    return program({ kind: 'anonymous', ...tracesOf(visit) });
  }
  // Two credentials would give two answers to who is calling.
  const brought = [authorization, nonces, pages, clients].filter(({ length }) => length > 0);
  const isWithCookie = authorization.length > 0 && cookieOf(visit, room) !== undefined;
  if (brought.length > 1 || isWithCookie) throw reportFailed(auth, visit, room);
  if (authorization.length > 0) return program(await server(auth, visit, room));
  if (clients.length > 0 && acceptsCredential(auth, 'browser')) return browser(auth, visit, room);
  if (nonces.length > 0 && acceptsCredential(auth, 'nonce')) return program(session(visit));
  throw challenge(auth, visit, room);
}

const program = (caller: Caller): Admission => ({ caller, sinceProofMs: null });

/** The fields that every caller has, whatever its kind: they go into the log and the audit log. */
const tracesOf = ({ requestId, origin, address, headers: { userAgent } }: Visit) => ({
  requestId,
  origin,
  address,
  ...(userAgent === undefined ? {} : { userAgent }),
});

const session = (visit: Visit): Caller => ({
  kind: 'session',
  // A malformed or repeated nonce is hashed like any other and not found: all get one answer.
  nonceSha256: hash('sha256', visit.headers.nonces.join('\n'), 'buffer'),
  locale: localeFrom(visit.headers.languages.join(',')),
  ...tracesOf(visit),
});

/** The nonce identifies the session, the credential its merchant. */
async function authenticateVouched(visit: Visit, room: Room): Promise<Caller> {
  const merchant = await server('anyone', visit, room);
  const caller = session(visit);
  return caller.kind === 'session' ? { ...caller, merchant } : caller;
}

async function customer(visit: Visit, { ports, limits }: Room): Promise<Caller> {
  const { pages } = visit.headers;
  if (pages.length === 0) throw new Refusal('customer_page_token_required');
  const page = await verifyPageToken(hash('sha256', pages.join('\n'), 'buffer'), ports);
  if (page) return { kind: 'customer', ...page, ...tracesOf(visit) };
  const take = limits.wrongSession.take(visit.address);
  throw take.isAllowed
    ? new Refusal('customer_page_not_found')
    : rateLimited(take, 'wrong guesses from your address');
}

async function server(auth: Auth, visit: Visit, room: Room): Promise<Caller> {
  const basic = acceptsCredential(auth, 'basic') ? readBasic(visit) : undefined;
  const isBearer = !basic && acceptsCredential(auth, 'bearer');
  const bearer = isBearer ? parseBearer(visit.headers.authorization) : undefined;
  const caller = basic
    ? (recallCaller(basic, visit, room) ?? (await authenticateApiToken(basic, visit, room)))
    : bearer && (await authenticateAccessToken(bearer, visit, room));
  if (!caller) throw reportFailed(auth, visit, room);
  if (kindOf(caller) === 'agent' && !acceptsCredential(auth, 'agent'))
    throw otherResource(visit, room);
  return caller;
}

/** The token is valid, but for another address than this one. RFC 8707 §2.2, RFC 6750 §3.1. */
function otherResource({ row: { auth } }: Visit, { ports: { settings } }: Room): Refusal {
  const metadata = `${settings.baseUrl}/.well-known/oauth-protected-resource`;
  const bearer = `Bearer error="invalid_token", resource_metadata="${metadata}"`;
  const basic = acceptsCredential(auth, 'basic') ? ', Basic realm="svc", charset="UTF-8"' : '';
  return new Refusal('authentication_required', {
    message: `The access token was issued for ${settings.baseUrl}/mcp and opens that address alone. Ask for one with resource=${settings.baseUrl}.`,
    headers: { 'www-authenticate': `${bearer}${basic}` },
  });
}

type ShownCredential = { readonly clientId: string; readonly tokenSha256: Buffer };

/**
 * The parsed last header of each connection: its callers send the same header again and again, and
 * parsing it costs more than the rest of the check. Only the text is cached, so the cache opens
 * nothing.
 */
const lastShown = new WeakMap<object, ShownCredential & { readonly value: string }>();

function readBasic({ connection, headers: { authorization } }: Visit): ShownCredential | undefined {
  const [value] = authorization;
  const last = lastShown.get(connection);
  if (last && last.value === value && authorization.length === 1) return last;
  const basic = parseBasic(authorization);
  if (!basic || value === undefined) return undefined;
  const { clientId, token } = basic;
  const shown = { clientId, tokenSha256: hash('sha256', token, 'buffer'), value };
  lastShown.set(connection, shown);
  return shown;
}

/**
 * Returns the caller of a token that was read shortly before, for an operation that verifies the
 * token in its own statement.
 */
function recallCaller(basic: ShownCredential, visit: Visit, room: Room): Caller | undefined {
  if (!recallingRows.has(visit.row)) return undefined;
  const known = room.tokens.find(basic.clientId, basic.tokenSha256);
  if (!known) return undefined;
  const { tokenSha256 } = known;
  const confirm = async () => {
    if (!(await authenticateApiToken(basic, visit, room)))
      throw reportFailed(visit.row.auth, visit, room);
  };
  const caller: Caller = { ...ownerOf(basic, known, visit), recalled: { tokenSha256, confirm } };
  // A caller is never refused because of cached facts, which may have changed.
  return mayCall(visit.row, program(caller)) ? caller : undefined;
}

async function authenticateApiToken(
  basic: ShownCredential,
  visit: Visit,
  { ports, used, tokens }: Room,
): Promise<Caller | undefined> {
  const { clientId, tokenSha256 } = basic;
  const verified = await verifyApiToken(clientId, tokenSha256, ports);
  // A role without tokens is as none: the value of who had another role before opens nothing.
  if (!verified || !may(verified.role, 'tokens.own')) {
    tokens.forget(clientId, tokenSha256);
    return undefined;
  }
  tokens.keep(clientId, tokenSha256, verified);
  if (verified.useDueMs <= 0) used(verified.tokenId);
  return ownerOf(basic, verified, visit);
}

const ownerOf = (
  { clientId }: ShownCredential,
  { tokenId, userId, role, scopes }: VerifiedToken,
  visit: Visit,
) =>
  ({
    kind: 'server',
    via: 'token',
    clientId,
    userId,
    tokenId,
    role,
    scopes,
    ...tracesOf(visit),
  }) as const;

async function authenticateAccessToken(
  token: string,
  visit: Visit,
  { ports }: Room,
): Promise<Caller | undefined> {
  const grant = await verifyAccessToken(hash('sha256', token, 'buffer'), ports);
  if (!grant) return undefined;
  const { grantId, applicationId, userId, clientId, role, scopes, isForAgents } = grant;
  // The token is valid, but its person has left the merchant or has a role there that may not use
  // programs. Spec: Authentication 3.
  if (role === null) throw new Refusal('merchant_role_required');
  if (!may(role, 'tokens.own')) throw lacksRole('tokens.own');
  return {
    kind: 'server',
    via: 'oauth',
    clientId,
    userId,
    tokenId: grantId,
    applicationId,
    ...(isForAgents ? { isForAgents } : {}),
    role,
    scopes,
    ...tracesOf(visit),
  };
}

const cookieOf = ({ headers }: Visit, { ports }: Room) =>
  readSignInCookie(headers.cookies, ports.settings.baseUrl);

/**
 * A browser sends its cookie with any page's call, so a call with a cookie must come from one of
 * the service's own pages. Fetch Metadata is checked when the browser sends it; the origin whenever
 * the call may change something.
 */
function assertOwnPage(visit: Visit, { ownOrigin, ports }: Room): void {
  const { method, origin, headers } = visit;
  assertOwnHost(visit.rawHeaders, ports.settings);
  const isSafe = method === 'GET' || method === 'HEAD';
  const isSameSite = headers.fetchSites.every((site) => site === 'same-origin');
  const isOwn = origin === ownOrigin || (isSafe && headers.origins.length === 0);
  if (!isSameSite || !isOwn) throw new Refusal('cross_site_request');
}

async function signInOf(visit: Visit, room: Room) {
  const cookie = cookieOf(visit, room);
  return cookie === undefined
    ? undefined
    : verifySignIn(hash('sha256', cookie, 'buffer'), room.ports);
}

async function person(auth: 'person' | 'visitor', visit: Visit, room: Room): Promise<Admission> {
  assertOwnPage(visit, room);
  const found = await signInOf(visit, room);
  const traces = tracesOf(visit);
  if (!found || found.needsSecondFactor) {
    if (auth === 'person') throw notSignedIn(found, visit, room);
    const halfOpen = found && { signInId: found.signInId, userId: found.userId };
    return program({ kind: 'anonymous', ...(halfOpen ? { halfOpen } : {}), ...traces });
  }
  const { userId, signInId } = found;
  return { caller: { kind: 'person', userId, signInId, ...traces }, sinceProofMs: ageOf(found) };
}

/** Admits a person's browser that acts for a client of which the person is a member. */
async function browser(auth: Auth, visit: Visit, room: Room): Promise<Admission> {
  assertOwnPage(visit, room);
  const clientId = parseClientId(visit.headers.clients);
  if (clientId === undefined) throw reportFailed(auth, visit, room);
  const found = await signInOf(visit, room);
  if (!found || found.needsSecondFactor) throw notSignedIn(found, visit, room);
  const { userId, signInId } = found;
  const sinceProofMs = ageOf(found);
  const role = await findRole(userId, clientId, room.ports);
  // An unknown client gets the same answer as a client of which the person is no member.
  if (role === undefined) throw new Refusal('merchant_role_required');
  const caller: Caller = {
    kind: 'server',
    via: 'person',
    clientId,
    userId,
    tokenId: signInId,
    role,
    scopes: null,
    ...(isRecentProof(sinceProofMs) ? { isProofRecent: true } : {}),
    ...tracesOf(visit),
  };
  return { caller, sinceProofMs };
}

const ageOf = ({ now, provenAt }: { now: Date; provenAt: Date }) =>
  now.getTime() - provenAt.getTime();

/**
 * An open page whose sign-in has ended asks once more and stops; a caller that guesses cookies goes
 * on, and is limited.
 */
function notSignedIn(found: object | undefined, visit: Visit, room: Room): Refusal {
  if (found) return new Refusal('second_factor_required');
  if (cookieOf(visit, room) === undefined) return new Refusal('sign_in_required');
  return tooManyGuesses(visit, room) ?? new Refusal('sign_in_required');
}

/** A right credential still passes: an address may be shared, and only guesses are limited. */
function tooManyGuesses({ address }: Visit, { limits }: Room): Refusal | undefined {
  const take = limits.failedBasic.take(address);
  return take.isAllowed ? undefined : rateLimited(take, 'wrong credentials from your address');
}

function reportFailed(auth: Auth, visit: Visit, room: Room): Refusal {
  room.onGuess?.(visit.headers.authorization);
  return tooManyGuesses(visit, room) ?? challenge(auth, visit, room);
}

/**
 * The one 401 of merchants' calls; it states which credentials the row takes. RFC 7617 §2.1; RFC
 * 6750 §3; RFC 9728 §5.1.
 */
function challenge(auth: Auth, { headers }: Visit, { ports }: Room): Refusal {
  const hasScheme = (scheme: RegExp) => headers.authorization.some((value) => scheme.test(value));
  const metadata = `${ports.settings.baseUrl}/.well-known/oauth-protected-resource`;
  const error = hasScheme(/^bearer(?: |$)/i) ? 'error="invalid_token", ' : '';
  const isForBasic = acceptsCredential(auth, 'basic') && hasScheme(/^basic(?: |$)/i);
  const challenges = [
    ...(acceptsCredential(auth, 'bearer') && !isForBasic
      ? [`Bearer ${error}resource_metadata="${metadata}"`]
      : []),
    ...(acceptsCredential(auth, 'basic') ? ['Basic realm="svc", charset="UTF-8"'] : []),
  ];
  return new Refusal(
    'authentication_required',
    challenges.length > 0 ? { headers: { 'www-authenticate': challenges.join(', ') } } : {},
  );
}

/** Collects used tokens and writes them outside the requests. Losing some is harmless. */
function collectUses(ports: Pick<Ports, 'database'>, flushMs: number) {
  const due = new Set<string>();
  let running: Promise<void> = Promise.resolve();
  const flushUses = () => {
    if (due.size === 0) return running;
    const tokenIds = [...due];
    due.clear();
    running = recordTokenUse(tokenIds, ports).catch(() => undefined);
    return running;
  };
  const timer = setInterval(flushUses, flushMs);
  timer.unref();
  return {
    add: (tokenId: string) => void due.add(tokenId),
    async close() {
      clearInterval(timer);
      await running;
      await flushUses();
    },
  };
}
