// The HTTP server: protocol limits, headers of every response, the error object for every failure,
// and the routes.

import type { Socket } from 'node:net';
import { Hold } from '@svc/contract/servers/sockets';
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import { Refusal } from '../domain/protocol/refusal.ts';
import { uuidPattern } from '../domain/protocol/uuid.ts';
import type { Ports } from '../engine/ports.ts';
import { openAuthenticator } from './access/authenticate.ts';
import { serveDocs } from './docs/serve-docs.ts';
import { serveHealth } from './doors/health.ts';
import { type ReceiveNotice, serveProviderNotices } from './doors/notices.ts';
import { type MountOauth, openOauthAccess } from './doors/oauth-access.ts';
import { servePages } from './doors/pages.ts';
import { servePolicyReports } from './doors/policy-reports.ts';
import { serveReceipts } from './doors/receipts.ts';
import { serveSandboxClock } from './doors/sandbox-clock.ts';
import { serveWebhookTester } from './doors/webhook-tester.ts';
import { isCall, limitInFlight } from './limits/in-flight.ts';
import { type LimitSettings, type Limits, openLimits } from './limits/limits.ts';
import { overloaded, shedLoad } from './limits/overload.ts';
import { rateLimited } from './limits/rate-limited.ts';
import type { ShareTakes } from './limits/share.ts';
import { socketLimits } from './limits/sockets.ts';
import { Waits } from './limits/waits.ts';
import { watchGuesses } from './limits/watch-guesses.ts';
import {
  answerBrokenRequest,
  apiHeaders,
  Bindings,
  httpSettings,
  keepAliveTimeout,
  maxHeadersCount,
  requestTimeout,
} from './listen.ts';
import { serveMcp } from './mcp/serve-mcp.ts';
import { type OperationTable, type RowTable, routeOf, serveRows } from './rows/api.ts';
import { acceptJson, type Body } from './wire/body.ts';
import { openOriginGuard } from './wire/cors.ts';
import { errorAnswer, toRefusal } from './wire/errors.ts';
import { headerValues } from './wire/idempotency-key.ts';
import type { Log } from './wire/log.ts';
import { type AnswerFacts, logAccess } from './wire/log-access.ts';
import { networkOf } from './wire/network-of.ts';
import { newRequestId } from './wire/request-id.ts';

export type ServerSettings = {
  readonly rows: RowTable;
  readonly operations: OperationTable;
  readonly ports: Ports;
  readonly receiveNotice: ReceiveNotice;
  /** Mounts the OAuth server's routes. */
  readonly mountOauth?: MountOauth;
  readonly log: Log;
  /** Counts takes of limits with the other processes; absent, each counts for itself. */
  readonly shareTakes?: ShareTakes;
  /** Null switches rate limits off. */
  readonly limits: LimitSettings | null;
  /** How many proxies in front are trusted to state the caller's address. */
  readonly trustedProxies: number;
  /** The folder with the built pages. */
  readonly pagesDir: string;
  /** The origin of the card form, which the checkout page frames. */
  readonly vaultOrigin: string;
  /** The address of the card provider, whose bank pages the checkout page frames. */
  readonly providerUrl: string;
  /** The key of the sandbox's clock call; null when that call is not served. */
  readonly sandboxKey: string | null;
  /** The most requests at once; further ones get 503. */
  readonly maxInFlight: number;
  /** Called with each request that was answered. */
  readonly onAnswer?: (facts: AnswerFacts) => void;
  /** The longest wait of requests for their turn, in milliseconds; further ones get 503. 0: no such limit. */
  readonly shedMs: number;
  /** Monotonic milliseconds, for the limits. */
  readonly nowMs?: () => number;
};

export type Server = {
  readonly app: FastifyInstance;
  /** Listens on the host, for `localhost` on all its addresses; resolves to the port. */
  listen(host: string, port: number): Promise<number>;
  /** Writes the documents in advance, so that their first reader does not wait. */
  warmUp(): Promise<void>;
  /** Reports not ready from now on; requests are still served. */
  drain(): void;
  /**
   * Accepts nothing new and lets requests finish for `drainMs`, then cuts the connections. Those that are kept
   * open serve for `lingerMs` more: a proxy may not know yet that nobody listens.
   */
  close(drainMs?: number, lingerMs?: number): Promise<void>;
};

export function buildServer(settings: ServerSettings): Server {
  const { ports, log } = settings;
  const { baseUrl, checkoutUrl, isLive, mode } = ports.settings;
  const app = openFastify(settings);
  const nowMs = settings.nowMs ?? (() => performance.now());
  const limits: Limits = openLimits(settings.limits, {
    nowMs,
    share: settings.shareTakes,
    onFault: (error) =>
      log.error('limits are not counted with other processes', { error: String(error) }),
  });
  const warnOfGuesses = (clientId: string) =>
    log.warn('many failed credentials with this client id', { clientId });
  const authenticator = openAuthenticator({
    ports,
    limits,
    onGuess: watchGuesses({ nowMs, warn: warnOfGuesses }),
  });
  const ownOrigins = [baseUrl, checkoutUrl].map((url) => new URL(url).origin);
  const state = { isDraining: false, isClosing: false, hold: new Hold() };
  const waits = new Waits();

  app.decorateRequest('visitor', '');
  app.decorateRequest('call', null);
  app.decorateRequest('confirm', null);
  app.decorateRequest('operation', null);
  app.decorateRequest('route', null);
  app.decorateRequest('errorCode', null);
  acceptJson(app);
  addFirstStep(app, limits);
  endConnections(app, state);
  shedLoad(app, { ...settings, nowMs, waitedMs: () => ports.database.waitedMs?.() ?? 0 });
  limitInFlight(app, settings.maxInFlight);
  answerErrors(app, settings, limits.pages);
  logAccess(app, settings);

  const origins = openOriginGuard(ports, { isLive, ownOrigins });
  serveRows(app, { ...settings, authenticator, limits, origins, waits });
  serveMcp(app, { ...settings, authenticator, limits });
  const runs = { node: process.version, limits: settings.limits ? 'on' : 'off' } as const;
  serveHealth(app, { ports, nowMs, runs, isDraining: () => state.isDraining });
  const warmDocs = serveDocs(app, { rows: settings.rows, baseUrl, mode });
  servePages(app, settings);
  serveReceipts(app, ports);
  servePolicyReports(app, { log, nowMs });
  serveProviderNotices(app, settings.receiveNotice, { ports, log });
  if (!isLive) serveWebhookTester(app, ports);
  settings.mountOauth?.(app, openOauthAccess(authenticator, baseUrl));
  if (settings.sandboxKey !== null && mode === 'sandbox') {
    serveSandboxClock(app, settings.sandboxKey, ports);
  }

  const bindings = new Bindings(app, { baseUrl, log }, socketLimits({ ...settings, nowMs }));
  return {
    app,
    listen: (host, port) => bindings.listen(host, port),
    warmUp: warmDocs,
    drain() {
      state.isDraining = true;
    },
    async close(drainMs = 0, lingerMs = 0) {
      waits.stop();
      state.isClosing = true;
      await bindings.end(state.hold, drainMs, lingerMs);
      await authenticator.close();
    },
  };
}

function openFastify({ trustedProxies, ports, log }: ServerSettings): FastifyInstance {
  const { baseUrl } = ports.settings;
  const app = Fastify({
    logger: false,
    genReqId: newRequestId,
    requestIdHeader: false,
    trustProxy:
      trustedProxies === 0 ? false : (_address: string, hop: number) => hop < trustedProxies,
    // A kept-alive connection is still served while the rest drains.
    return503OnClosing: false,
    requestTimeout,
    keepAliveTimeout,
    http: httpSettings,
    routerOptions: {
      maxParamLength: 1000,
      querystringParser: (text: string) => ({ text }),
    },
    frameworkErrors: (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
      answer(request, reply, { error, baseUrl, log });
    },
    clientErrorHandler: (error: NodeJS.ErrnoException, socket: Socket) => {
      answerBrokenRequest(error, socket, { baseUrl, log });
    },
  });
  app.server.maxHeadersCount = maxHeadersCount;
  return app;
}

/**
 * The first step of every request: the caller's network, the headers of every response, and only
 * one Host header. This hook is synchronous, because a promise would cost each request a turn of
 * the event loop.
 */
function addFirstStep(app: FastifyInstance, { openAddress: open, pages }: Limits): void {
  app.addHook('onRequest', (request, reply, done) => {
    request.visitor = networkOf(request);
    reply.headers(apiHeaders).header('request-id', request.id);
    // RFC 9112 §3.2: two Host headers allow two readings of the target.
    if (headerValues(request.raw.rawHeaders, 'host').length > 1) {
      return done(new Refusal('invalid_request', { message: 'The Host header is given twice.' }));
    }
    if (!isCall(request)) return done(isPage(request) ? overBudget(pages, request) : undefined);
    done(isTooOpen(request, reply, open) ? openLimitReached(open.most) : undefined);
  });
}

/**
 * While the server drains or closes, every response ends its connection, so that a proxy keeps none
 * on which a request could be cut off.
 */
function endConnections(
  app: FastifyInstance,
  state: { readonly isClosing: boolean; readonly isDraining: boolean; readonly hold: Hold },
): void {
  app.addHook('onRequest', (_request, _reply, done) => {
    const { waiting } = state.hold;
    if (waiting) void waiting.then(() => done());
    else done();
  });
  app.addHook('onSend', (_, reply, __, done) => {
    if (state.isClosing || state.isDraining) reply.header('connection', 'close');
    done();
  });
}

/** Returns true unless the path is for other systems: probes, provider notices, reports, deliveries. */
const isPage = ({ url }: FastifyRequest): boolean =>
  !/^\/(?:healthz|readyz|startupz|provider-notices\/|webhook-tester\/|csp-reports|internal\/)/.test(
    url,
  );

/** Pages, files and unknown paths are cheap, so one budget per address covers them all. Contract §10. */
function overBudget(pages: Limits['pages'], { visitor }: FastifyRequest): Refusal | undefined {
  const take = pages.take(visitor);
  return take.isAllowed ? undefined : rateLimited(take, 'pages and files for your address');
}

/**
 * One address may keep only so many requests open, including those that never send their body.
 * Without this limit a single visitor could take every place of `limitInFlight`.
 */
function isTooOpen(
  { visitor: address }: FastifyRequest,
  { raw }: FastifyReply,
  open: Limits['openAddress'],
): boolean {
  if (!open.open(address)) return true;
  raw.once('close', () => open.close(address));
  return false;
}

const openLimitReached = (limit: number) =>
  rateLimited(
    { isAllowed: false, limit, remaining: 0, retryAfterSeconds: 1 },
    'open requests from your address',
  );

type Context = { readonly error: unknown; readonly baseUrl: string; readonly log: Log };

/** Returns the merchant that a request names: by its credential, or in its body, as a browser does. */
function clientOf({ call, body }: FastifyRequest): { readonly clientId?: string } {
  if (call?.caller.kind === 'server') return { clientId: call.caller.clientId };
  const { clientId } = ((body as Body | undefined)?.value ?? {}) as { clientId?: unknown };
  return typeof clientId === 'string' && uuidPattern.test(clientId) ? { clientId } : {};
}

const isTrouble = (code: string) => code === 'internal_error' || code === 'service_unavailable';

/** Refusals that mean a wrong credential, or one without the required rights. Reliability §5.8. */
const keptOut: ReadonlySet<string> = new Set([
  'authentication_required',
  'cross_site_request',
  'insufficient_scope',
  'merchant_role_required',
  'recent_sign_in_required',
  'second_factor_required',
  'sign_in_failed',
]);

function answer(request: FastifyRequest, reply: FastifyReply, { error, baseUrl, log }: Context) {
  const refusal = toRefusal(error);
  request.errorCode = refusal.code;
  if (keptOut.has(refusal.code)) {
    const caller = request.call?.caller;
    log.warn('access refused', {
      requestId: request.id,
      operation: request.operation,
      code: refusal.code,
      ...(caller?.kind === 'server' ? { clientId: caller.clientId, actorId: caller.userId } : {}),
    });
  }
  if (refusal.code === 'gateway_not_configured') {
    log.warn('a merchant has no gateway for this call: svc gateways create', {
      requestId: request.id,
      operation: request.operation,
      ...clientOf(request),
    });
  }
  if (isTrouble(refusal.code) && error !== overloaded) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    log[refusal.code === 'internal_error' ? 'error' : 'warn']('request failed', {
      requestId: request.id,
      operation: request.operation,
      error: text,
    });
  }
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const answered = errorAnswer(refusal, { requestId: request.id, baseUrl, isRead });
  const ofRoute = request.routeOptions.config.refusalBody?.(refusal, answered);
  return reply
    .code(answered.status)
    .headers(answered.headers)
    .header('request-id', request.id)
    .header('content-type', 'application/json; charset=utf-8')
    .send(JSON.stringify(ofRoute ?? answered.body));
}

/** An invalid credential is reported before any other error. Contract §1. */
const firstError = (error: unknown, confirm: () => Promise<void>): Promise<unknown> =>
  confirm().then(
    () => error,
    (refusal: unknown) => refusal,
  );

function answerErrors(
  app: FastifyInstance,
  { ports, log, rows }: ServerSettings,
  pages: Limits['pages'],
): void {
  const { baseUrl } = ports.settings;
  app.setErrorHandler(async (error, request, reply) => {
    const first = request.confirm ? await firstError(error, request.confirm) : error;
    return answer(request, reply, { error: first, baseUrl, log });
  });
  const allowedMethods = methodTable(app, rows);
  // Here and not in a handler, before which the body would be read for nothing.
  app.addHook('onRequest', (request, _reply, done) => {
    if (!request.is404) return done();
    const allow = allowedMethods(request.url.split('?')[0] ?? '');
    const error =
      allow.length > 0
        ? new Refusal('method_not_allowed', { headers: { allow: allow.join(', ') } })
        : ((isCall(request) ? overBudget(pages, request) : undefined) ??
          new Refusal('route_not_found', {
            // Without the path, which may contain a card number or a token.
            message: `There is no route for ${request.method} at this path.`,
          }));
    done(error);
  });
}

/** Returns the methods that a path supports, for 405 and its `Allow`. */
function methodTable(app: FastifyInstance, rows: RowTable): (path: string) => string[] {
  const routes = new Map<string, Set<string>>();
  const add = (url: string, method: string) => {
    const methods = routes.get(url) ?? new Set();
    routes.set(url, methods.add(method));
  };
  for (const { call } of Object.values(rows)) {
    const { method, url } = routeOf(call);
    add(url, method);
    if (method === 'GET') add(url, 'HEAD');
  }
  app.addHook('onRoute', ({ url, method }) => {
    for (const each of [method].flat()) add(url, each);
  });
  return (path) =>
    [...routes]
      .filter(([url]) =>
        new RegExp(`^${url.replace(/:\w+/g, '[^/]+').replace('*', '.*')}$`).test(path),
      )
      .flatMap(([, methods]) => [...methods])
      .sort();
}
