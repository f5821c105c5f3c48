// What both listeners of the vault share: limits, headers, request ids, the error object, and the log line
// of each request. Contract §1.
import { isDatabaseTrouble } from '@svc/contract/servers/database-trouble';
import type { Hold } from '@svc/contract/servers/sockets';
import fastify, { type FastifyInstance, type FastifyRequest, LogController } from 'fastify';
import { answerBrokenRequest } from './broken-requests.ts';
import { type Code, describeRefusal, Refusal, retryAfterOf } from './errors.ts';
import { baseHeaders, newRequestId } from './headers.ts';
import { describeError, loggerOptions, type Sink } from './log.ts';

const codesByStatus: Readonly<Record<number, Code>> = {
  400: 'invalid_request',
  404: 'route_not_found',
  413: 'body_too_large',
  415: 'unsupported_media_type',
};

/** Turns an error of the framework, the database or the code into a refusal. */
function toRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  const { statusCode } = error as { statusCode?: unknown };
  if (typeof statusCode === 'number' && statusCode < 500) {
    return new Refusal(codesByStatus[statusCode] ?? 'invalid_request');
  }
  return new Refusal(isDatabaseTrouble(error) ? 'service_unavailable' : 'internal_error');
}

const msSince = (start: number) => Math.round((performance.now() - start) * 10) / 10;

export type AnswerFacts = {
  readonly route: string;
  readonly status: number;
  readonly ms: number;
};

function logRequests(app: FastifyInstance, onAnswer: (facts: AnswerFacts) => void): void {
  const starts = new WeakMap<FastifyRequest, number>();
  app.addHook('onRequest', async (request, reply) => {
    starts.set(request, performance.now());
    reply.headers({ ...baseHeaders, 'request-id': request.id });
  });
  app.addHook('onResponse', async (request, reply) => {
    const ms = msSince(starts.get(request) ?? performance.now());
    const route = request.routeOptions.url ?? 'none';
    const facts = { route, status: reply.statusCode, ms };
    onAnswer(facts);
    request.log.info(facts, 'answered');
  });
}

function answerErrors(app: FastifyInstance): void {
  app.setErrorHandler(async (error, request, reply) => {
    const refusal = toRefusal(error);
    const body = describeRefusal(refusal, request.id);
    if (error instanceof Refusal) logRefusal(request, error, body);
    else if (body.status >= 500) request.log.error(describeError(error), body.code);
    const retryAfter = retryAfterOf(refusal);
    if (retryAfter !== undefined) reply.header('retry-after', retryAfter);
    return reply.code(body.status).send(body);
  });
}

/** Logs failures that the operator can repair at a higher level, so that they stand out. */
function logRefusal(
  { log }: FastifyRequest,
  { facts }: Refusal,
  { code, status }: { readonly code: string; readonly status: number },
): void {
  const fields = { code, ...facts.said };
  if (facts.said && status === 502) log.error(fields, 'refused');
  else if (facts.said && status === 503) log.warn(fields, 'refused');
  else log.info(fields, 'refused');
}

/** Responds with 405 and `Allow` when the path exists under another method, else with 404. */
function answerUnknown(app: FastifyInstance): void {
  const routes: { path: RegExp; methods: string[] }[] = [];
  app.addHook('onRoute', ({ url, method }) => {
    const path = new RegExp(`^${url.replace(/:[a-z]+/gi, '[^/]+')}$`);
    routes.push({ path, methods: [method].flat() });
  });
  app.setNotFoundHandler(async (request, reply) => {
    const [path = '/'] = request.url.split('?');
    const matching = routes.filter((route) => route.path.test(path));
    const allowed = matching.flatMap(({ methods }) => methods);
    if (allowed.length === 0) throw new Refusal('route_not_found');
    reply.header('allow', [...new Set(allowed)].join(', '));
    throw new Refusal('method_not_allowed');
  });
}

/**
 * Without this, a connection whose last response is sent during the shutdown would stay open for a minute.
 */
function closeConnections(app: FastifyInstance, isDraining: () => boolean): void {
  let isClosing = false;
  app.addHook('preClose', async () => {
    isClosing = true;
  });
  app.addHook('onSend', async (_request, reply) => {
    if (isClosing || isDraining()) reply.header('connection', 'close');
  });
}

type ServerSettings = {
  /** How many proxies in front are trusted to report the caller's address. */
  readonly trustedProxies?: number;
  /** Returns whether each response is the last one of its connection. */
  readonly isDraining?: () => boolean;
  /** Called with each request that was answered. */
  readonly onAnswer?: (facts: AnswerFacts) => void;
  /** Holds requests back while the listeners end. */
  readonly hold?: Hold;
};

/** Creates a listener without routes. */
export function createServer(
  sink: Sink,
  {
    trustedProxies = 0,
    isDraining = () => false,
    onAnswer = () => undefined,
    hold,
  }: ServerSettings = {},
): FastifyInstance {
  const app = fastify({
    logger: loggerOptions(sink),
    logController: new LogController({
      disableRequestLogging: true,
      requestIdLogLabel: 'requestId',
    }),
    genReqId: newRequestId,
    requestIdHeader: false,
    trustProxy: trustedProxies > 0 && ((_address: string, hop: number) => hop < trustedProxies),
    requestTimeout: 15_000,
    keepAliveTimeout: 65_000,
    bodyLimit: 4096,
    forceCloseConnections: 'idle',
    routerOptions: { ignoreTrailingSlash: false },
    http: { maxHeaderSize: 16_384, headersTimeout: 10_000, connectionsCheckingInterval: 5000 },
    clientErrorHandler: (error, socket) => answerBrokenRequest(error, socket, app.log),
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false } },
  });
  app.server.maxHeadersCount = 100;
  app.removeAllContentTypeParsers();
  logRequests(app, onAnswer);
  closeConnections(app, isDraining);
  app.addHook('onRequest', async () => {
    await hold?.waiting;
  });
  answerErrors(app);
  answerUnknown(app);
  return app;
}
