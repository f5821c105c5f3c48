// The OAuth server's routes: those of the library, those of the consent page, and the metadata
// documents. Contract §6.

import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type Provider from 'oidc-provider';
import { readUserAgent } from '../domain/people/user-agent.ts';
import { type Budget, openBudgets } from './budgets.ts';
import { openDocuments } from './documents.ts';
import { serveInteractions } from './interactions.ts';
import { serveMetadata } from './metadata.ts';
import { findSignedIn } from './person.ts';
import { openProvider } from './provider.ts';
import type { MountOauth, OauthSettings, Traces } from './settings.ts';

type RequestHandler = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/** Opens the OAuth server, which the HTTP server mounts. The library is loaded at the first call. */
export function openOauth(settings: OauthSettings): MountOauth {
  const { baseUrl } = settings.ports.settings;
  return (app, door) => {
    const tracesOf = new WeakMap<IncomingMessage, Traces>();
    const budgets = openBudgets(settings.isLimited);
    const room = {
      ...settings,
      tracesOf,
      failures: budgets.failures,
      wrongGrants: budgets.wrongGrants,
      documents: openDocuments(settings.fetchDocument, budgets.documents),
      signedIn: (request: IncomingMessage) => findSignedIn(request, door, settings),
    };
    let opened: Promise<Provider> | undefined;
    const provider = () => {
      opened ??= openProvider(room).catch((error: unknown) => {
        opened = undefined;
        throw error;
      });
      return opened;
    };
    const answer = answerWith(provider, baseUrl);

    serveMetadata(app, baseUrl);
    serveInteractions(app, { ...settings, door, userCodes: budgets.userCodes, provider });
    app.addHook('onRequest', async ({ raw, id, visitor, url }) => {
      if (!url.startsWith('/oauth/')) return;
      const agent = readUserAgent(raw.headers['user-agent']);
      const traces = { requestId: id, address: visitor };
      tracesOf.set(raw, agent === undefined ? traces : { ...traces, userAgent: agent });
    });
    app.register(async (scope) => {
      // The library reads the body from the socket itself.
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
      const flow = countBegun(budgets.flows, answer);
      const options = { exposeHeadRoute: false };
      scope.get('/oauth/authorize', options, flow);
      scope.get('/oauth/authorize/:uid', options, answer);
      scope.post('/oauth/device_authorization', flow);
      scope.post('/oauth/token', answer);
      scope.post('/oauth/revoke', answer);
      scope.post('/oauth/introspect', answer);
    });
  };
}

/** Counts each request of an unauthenticated caller that stores a row. */
const countBegun =
  (budget: Budget, serve: RequestHandler): RequestHandler =>
  async (request, reply) => {
    budget.check(request.visitor);
    budget.take(request.visitor);
    await serve(request, reply);
  };

function answerWith(provider: () => Promise<Provider>, baseUrl: string): RequestHandler {
  const base = new URL(baseUrl);
  let answers: ReturnType<Provider['callback']> | undefined;
  return async (request, reply) => {
    const library = await provider();
    answers ??= library.callback();
    const { raw } = request;
    // Sets the public URL, whatever the request or a proxy states.
    raw.headers['x-forwarded-proto'] = base.protocol.slice(0, -1);
    raw.headers['x-forwarded-host'] = base.host;
    if (base.pathname !== '/') Object.assign(raw, { baseUrl: base.pathname });
    for (const [name, value] of Object.entries(reply.getHeaders())) {
      if (value !== undefined) reply.raw.setHeader(name, value);
    }
    reply.hijack();
    await answers(raw, reply.raw);
  };
}
