// What both of the vault's listeners share: limits, headers, request ids, the error object and the
// log line of each request. Contract §1.
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

/** What the driver says, without a code, of a server that hangs or is lost. */
const unanswered =
  /timeout exceeded when trying to connect|timeout expired|Query read timeout|Connection terminated/;

/** The refusal that an error of the framework, the database or a bug becomes. */
function toRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  const { statusCode, code } = error as { statusCode?: unknown; code?: unknown };
  if (typeof statusCode === 'number' && statusCode < 500) {
    return new Refusal(codesByStatus[statusCode] ?? 'invalid_request');
  }
  // Class 57 and 08 of PostgreSQL, sockets, and the pool's own time limit.
  const isOutage =
    (typeof code === 'string' &&
      /^(57P0|57014|08|53|25006|58030|ECONN|ENOTFOUND|ENOENT|EPIPE|ETIMEDOUT)/.test(code)) ||
    (error instanceof Error && unanswered.test(error.message));
  return new Refusal(isOutage ? 'service_unavailable' : 'internal_error');
}

const msSince = (start: number) => Math.round((performance.now() - start) * 10) / 10;

function logRequests(app: FastifyInstance): void {
  const starts = new WeakMap<FastifyRequest, number>();
  app.addHook('onRequest', async (request, reply) => {
    starts.set(request, performance.now());
    reply.headers({ ...baseHeaders, 'request-id': request.id });
  });
  app.addHook('onResponse', async (request, reply) => {
    const ms = msSince(starts.get(request) ?? performance.now());
    const route = request.routeOptions.url ?? 'none';
    request.log.info({ route, status: reply.statusCode, ms }, 'answered');
  });
}

function answerErrors(app: FastifyInstance): void {
  app.setErrorHandler(async (error, request, reply) => {
    const refusal = toRefusal(error);
    const body = describeRefusal(refusal, request.id);
    if (error instanceof Refusal) request.log.info({ code: body.code }, 'refused');
    else if (body.status >= 500) request.log.error(describeError(error), body.code);
    const retryAfter = retryAfterOf(refusal);
    if (retryAfter !== undefined) reply.header('retry-after', retryAfter);
    return reply.code(body.status).send(body);
  });
}

/** 405 with `Allow` where the path exists under another method, else 404. */
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

/** Without it, a connection whose last answer comes during the close would be kept for a minute. */
function closeConnections(app: FastifyInstance): void {
  let isClosing = false;
  app.addHook('preClose', async () => {
    isClosing = true;
  });
  app.addHook('onSend', async (_request, reply) => {
    if (isClosing) reply.header('connection', 'close');
  });
}

/** A listener without routes, behind so many proxies that are trusted to say who calls. */
export function createServer(sink: Sink, trustedProxies = 0): FastifyInstance {
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
    clientErrorHandler: answerBrokenRequest,
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false } },
  });
  app.server.maxHeadersCount = 100;
  app.removeAllContentTypeParsers();
  logRequests(app);
  closeConnections(app);
  answerErrors(app);
  answerUnknown(app);
  return app;
}
