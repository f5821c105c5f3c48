// Who is calling. Client Basic and Bearer tokens for programs, the session's nonce for browsers,
// the page's token for the customer's own page, a cookie for a person on our own pages. Every
// failure of a server's credential is answered by one and the same 401. Contract §6, reliability
// §5.1: what two readers could understand differently is refused. What is kept from one request to
// the next opens nothing by itself: see recalled-tokens.ts.

import { hash } from 'node:crypto';
import type { Auth, RowShape } from '@svc/contract/row';
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
import { type Admission, kindOf, mayCall, takes } from './authorise.ts';
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
   * Refuses authentication_required, sign_in_required, second_factor_required, cross_site_request,
   * merchant_role_required (of somebody who is no member any more),
   * checkout_session_token_required, customer_page_token_required, customer_page_not_found,
   * rate_limited.
   */
  authenticate(row: RowShape, arrival: Arrival): Promise<Admission>;
  /** Writes what is known of the use of tokens and stops. */
  close(): Promise<void>;
};

type Settings = {
  readonly ports: Ports;
  readonly limits: Limits;
  /** Hears of every credential that failed. */
  readonly onGuess?: (authorization: readonly string[]) => void;
  /** How often the use of tokens is written. */
  readonly flushMs?: number;
};

/** An arrival whose headers were read. */
type Visit = Arrival & { readonly headers: CredentialHeaders; readonly row: RowShape };

type Room = Settings & {
  readonly used: (tokenId: string) => void;
  readonly ownOrigin: string;
  readonly tokens: RecalledTokens;
};

/** Opens the one place where credentials are read. */
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
    return program(await vouchedSession(visit, room));
  }
  if (auth === 'person' || auth === 'visitor') {
    if (authorization.length > 0) throw failed(auth, visit, room);
    return person(auth, visit, room);
  }
  if (auth === 'anyone') {
    if (authorization.length > 0) return program(await server(auth, visit, room));
    // A merchant's name without what proves it is not passed over in silence.
    if (clients.length > 0) throw failed(auth, visit, room);
    return program({ kind: 'anonymous', ...tracesOf(visit) });
  }
  // Two credentials are two answers to who is calling.
  const brought = [authorization, nonces, pages, clients].filter(({ length }) => length > 0);
  const isWithCookie = authorization.length > 0 && cookieOf(visit, room) !== undefined;
  if (brought.length > 1 || isWithCookie) throw failed(auth, visit, room);
  if (authorization.length > 0) return program(await server(auth, visit, room));
  if (clients.length > 0 && takes(auth, 'browser')) return browser(auth, visit, room);
  if (nonces.length > 0 && takes(auth, 'nonce')) return program(session(visit));
  throw challenge(auth, visit, room);
}

const program = (caller: Caller): Admission => ({ caller, sinceProofMs: null });

/** What every caller leaves behind, whoever it is. */
const tracesOf = ({ requestId, origin, address, headers: { userAgent } }: Visit) => ({
  requestId,
  origin,
  address,
  ...(userAgent === undefined ? {} : { userAgent }),
});

const session = (visit: Visit): Caller => ({
  kind: 'session',
  // A malformed or repeated nonce is hashed like any other and found nowhere: one answer.
  nonceSha256: hash('sha256', visit.headers.nonces.join('\n'), 'buffer'),
  ...tracesOf(visit),
});

/** The nonce says which session, the credential that its merchant calls. */
async function vouchedSession(visit: Visit, room: Room): Promise<Caller> {
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
  const basic = takes(auth, 'basic') ? readBasic(visit) : undefined;
  const isBearer = !basic && takes(auth, 'bearer');
  const bearer = isBearer ? parseBearer(visit.headers.authorization) : undefined;
  const caller = basic
    ? (recall(basic, visit, room) ?? (await byApiToken(basic, visit, room)))
    : bearer && (await byAccessToken(bearer, visit, room));
  if (!caller) throw failed(auth, visit, room);
  if (kindOf(caller) === 'agent' && !takes(auth, 'agent')) throw otherResource(visit, room);
  return caller;
}

/** The token is good, for another address than this one. RFC 8707 §2.2, RFC 6750 §3.1. */
function otherResource({ row: { auth } }: Visit, { ports: { settings } }: Room): Refusal {
  const metadata = `${settings.baseUrl}/.well-known/oauth-protected-resource`;
  const bearer = `Bearer error="invalid_token", resource_metadata="${metadata}"`;
  const basic = takes(auth, 'basic') ? ', Basic realm="svc", charset="UTF-8"' : '';
  return new Refusal('authentication_required', {
    message: `The access token was issued for ${settings.baseUrl}/mcp and opens that address alone. Ask for one with resource=${settings.baseUrl}.`,
    headers: { 'www-authenticate': `${bearer}${basic}` },
  });
}

type Shown = { readonly clientId: string; readonly tokenSha256: Buffer };

/**
 * What the last header of a connection said: its callers show the same one again and again, and
 * reading it costs more than all the rest of the check. Of the text alone, so it opens nothing.
 */
const lastShown = new WeakMap<object, Shown & { readonly value: string }>();

function readBasic({ connection, headers: { authorization } }: Visit): Shown | undefined {
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

/** A token that was read a moment ago, for an operation that verifies it in its own statement. */
function recall(basic: Shown, visit: Visit, room: Room): Caller | undefined {
  if (!recallingRows.has(visit.row)) return undefined;
  const known = room.tokens.find(basic.clientId, basic.tokenSha256);
  if (!known) return undefined;
  const { tokenSha256 } = known;
  const confirm = async () => {
    if (!(await byApiToken(basic, visit, room))) throw failed(visit.row.auth, visit, room);
  };
  const caller: Caller = { ...ownerOf(basic, known, visit), recalled: { tokenSha256, confirm } };
  // Nobody is refused for what may have changed since.
  return mayCall(visit.row, program(caller)) ? caller : undefined;
}

async function byApiToken(
  basic: Shown,
  visit: Visit,
  { ports, used, tokens }: Room,
): Promise<Caller | undefined> {
  const { clientId, tokenSha256 } = basic;
  const verified = await verifyApiToken(clientId, tokenSha256, ports);
  if (!verified) {
    tokens.forget(clientId, tokenSha256);
    return undefined;
  }
  tokens.keep(clientId, tokenSha256, verified);
  if (verified.useDueMs <= 0) used(verified.tokenId);
  return ownerOf(basic, verified, visit);
}

const ownerOf = (
  { clientId }: Shown,
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

async function byAccessToken(
  token: string,
  visit: Visit,
  { ports }: Room,
): Promise<Caller | undefined> {
  const grant = await verifyAccessToken(hash('sha256', token, 'buffer'), ports);
  if (!grant) return undefined;
  const { grantId, applicationId, userId, clientId, role, scopes, isForAgents } = grant;
  // The token is good, the person has left the merchant. Spec: Authentication 3.
  if (role === null) throw new Refusal('merchant_role_required');
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
 * A browser sends its cookie whoever made it call, so such calls come from our own pages or not at
 * all. Fetch Metadata where the browser tells; the origin wherever something may change.
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

/** A person's browser that acts for a client of which the person is a member. */
async function browser(auth: Auth, visit: Visit, room: Room): Promise<Admission> {
  assertOwnPage(visit, room);
  const clientId = parseClientId(visit.headers.clients);
  if (clientId === undefined) throw failed(auth, visit, room);
  const found = await signInOf(visit, room);
  if (!found || found.needsSecondFactor) throw notSignedIn(found, visit, room);
  const { userId, signInId } = found;
  const role = await findRole(userId, clientId, room.ports);
  // A client that there is not is answered like one of strangers.
  if (role === undefined) throw new Refusal('merchant_role_required');
  const caller: Caller = {
    kind: 'server',
    via: 'person',
    clientId,
    userId,
    tokenId: signInId,
    role,
    scopes: null,
    ...tracesOf(visit),
  };
  return { caller, sinceProofMs: ageOf(found) };
}

const ageOf = ({ now, provenAt }: { now: Date; provenAt: Date }) =>
  now.getTime() - provenAt.getTime();

/** An open page whose sign-in has ended asks once more and stops; who guesses goes on. */
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

function failed(auth: Auth, visit: Visit, room: Room): Refusal {
  room.onGuess?.(visit.headers.authorization);
  return tooManyGuesses(visit, room) ?? challenge(auth, visit, room);
}

/** The one 401 of merchants' calls; says what the row takes. RFC 7617 §2.1; RFC 6750 §3; RFC 9728 §5.1. */
function challenge(auth: Auth, { headers }: Visit, { ports }: Room): Refusal {
  const isOf = (scheme: RegExp) => headers.authorization.some((value) => scheme.test(value));
  const metadata = `${ports.settings.baseUrl}/.well-known/oauth-protected-resource`;
  const error = isOf(/^bearer(?: |$)/i) ? 'error="invalid_token", ' : '';
  const isForBasic = takes(auth, 'basic') && isOf(/^basic(?: |$)/i);
  const challenges = [
    ...(takes(auth, 'bearer') && !isForBasic
      ? [`Bearer ${error}resource_metadata="${metadata}"`]
      : []),
    ...(takes(auth, 'basic') ? ['Basic realm="svc", charset="UTF-8"'] : []),
  ];
  return new Refusal(
    'authentication_required',
    challenges.length > 0 ? { headers: { 'www-authenticate': challenges.join(', ') } } : {},
  );
}

/** Gathers used tokens and writes them off the path of the requests. Losing some is harmless. */
function collectUses(ports: Pick<Ports, 'database'>, flushMs: number) {
  const due = new Set<string>();
  let running: Promise<void> = Promise.resolve();
  const flush = () => {
    if (due.size === 0) return running;
    const tokenIds = [...due];
    due.clear();
    running = recordTokenUse(tokenIds, ports).catch(() => undefined);
    return running;
  };
  const timer = setInterval(flush, flushMs);
  timer.unref();
  return {
    add: (tokenId: string) => void due.add(tokenId),
    async close() {
      clearInterval(timer);
      await running;
      await flush();
    },
  };
}
