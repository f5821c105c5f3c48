// `/mcp`: the tools for agents, over the Model Context Protocol's streamable HTTP. Requests share
// no state, so any process behind the address can answer each. Contract §6, reliability §5.3.

import assert from 'node:assert';
import type { RowShape } from '@svc/contract/rows/row';
import { version } from '@svc/contract/version';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../../domain/protocol/refusal.ts';
import { requireServer, type ServerCaller } from '../../engine/require-server.ts';
import { isScopeAllowed } from '../../engine/steps/oauth/allowed-scopes.ts';
import { arrivalOf } from '../access/arrival.ts';
import type { Authenticator } from '../access/authenticate.ts';
import { type Admission, authorise, kindOf } from '../access/authorise.ts';
import { readAgainWhenLate } from '../access/read-again.ts';
import { spendLimit } from '../limits/rate-limited.ts';
import type { Api } from '../rows/api.ts';
import { type Body, noBody } from '../wire/body.ts';
import { assertExact } from '../wire/exact-numbers.ts';
import { headerValues } from '../wire/idempotency-key.ts';
import { assertOwnHost } from '../wire/own-host.ts';
import { withChallenge } from './ask-for-scopes.ts';
import { rpcError } from './rpc-error.ts';
import type { Room } from './run-row.ts';
import { runTool } from './run-tool.ts';
import { isOpenTo, openTools, type ServedTool } from './tools.ts';

type Tools = ReadonlyMap<string, ServedTool>;

export type McpApi = Room &
  Pick<Api, 'rows' | 'operations'> & { readonly authenticator: Authenticator };

/** The row of the endpoint itself: it takes any token, which then opens only the tools of its scopes. */
const door: RowShape = {
  spec: 'Contract §6, /mcp',
  summary: 'Serves tools to agents.',
  call: 'POST /mcp',
  auth: 'bearer',
  scope: null,
  permission: null,
  limit: 'client',
  input: {},
  answers: {},
  refuses: [],
  emits: [],
};

export function serveMcp(app: FastifyInstance, api: McpApi): void {
  const ownOrigin = new URL(api.ports.settings.baseUrl).origin;
  const tools = openTools(api.rows, api.operations);
  // GET and DELETE belong to sessions, which this server does not have: the protocol asks for 405.
  app.route({
    method: 'POST',
    url: '/mcp',
    config: { refusalBody: rpcError },
    onRequest: (request) => admit(request, api, { tools, ownOrigin }),
    handler: (request, reply) => serve(request, reply, { api, tools }),
  });
}

async function admit(
  request: FastifyRequest,
  api: McpApi,
  { tools, ownOrigin }: { tools: Tools; ownOrigin: string },
): Promise<void> {
  // A page whose own host name resolves to this service still sends its own origin. DNS rebinding.
  const { rawHeaders } = request.raw;
  assertOwnHost(rawHeaders, api.ports.settings);
  if (headerValues(rawHeaders, 'origin').some((origin) => origin !== ownOrigin)) {
    throw new Refusal('cross_site_request');
  }
  const readAgain = readAgainWhenLate(door, arrivalOf(request), api.authenticator);
  const admission = await admitRequest(request, api).catch((error: unknown) => {
    throw withChallenge(error, tools.values(), { baseUrl: ownOrigin, url: request.url });
  });
  const { caller } = admission;
  request.call = { ...admission, path: {}, idempotencyKey: null, readAgain };
  const { clientId } = requireServer(caller);
  spendLimit(api.limits.client, { key: clientId, of: 'requests with this credential' });
  authorise(door, admission);
}

/** Admits a token only: a person's browser has its own pages. */
async function admitRequest(
  request: FastifyRequest,
  { authenticator }: McpApi,
): Promise<Admission> {
  const admission = await authenticator.authenticate(door, arrivalOf(request));
  const kind = kindOf(admission.caller);
  if (kind !== 'bearer' && kind !== 'agent') throw new Refusal('authentication_required');
  return admission;
}

async function serve(
  request: FastifyRequest,
  reply: FastifyReply,
  { api, tools }: { api: McpApi; tools: Tools },
): Promise<FastifyReply> {
  const { caller: admitted, readAgain } = callOf(request);
  const caller = requireServer(admitted);
  const { value, inexact } = (request.body as Body | undefined) ?? noBody;
  assertExact(inexact);
  await assertScope(value, tools, { caller, ports: api.ports });
  const { createMcpHandler, Server } = await import('@modelcontextprotocol/server');
  const openServer = () => {
    const server = new Server(identity, { capabilities: { tools: {} }, instructions });
    server.setRequestHandler('tools/list', () => ({
      tools: [...tools.values()]
        .filter((tool) => isOpenTo(tool, caller))
        .map(({ definition }) => structuredClone(definition) as never),
    }));
    server.setRequestHandler('tools/call', async ({ params }) => {
      const tool = tools.get(params.name);
      if (!tool) throw await unknownTool(params.name);
      request.operation = tool.operation;
      return runTool(tool, params.arguments ?? {}, {
        caller,
        room: api,
        readAgain,
        failed: (code) => {
          request.errorCode = code;
        },
      });
    });
    return server;
  };
  const { fetch } = createMcpHandler(openServer, { maxSubscriptions: 0 });
  const url = new URL('/mcp', api.ports.settings.baseUrl);
  const asked = new Request(url, { method: 'POST', headers: protocolHeaders(request) });
  return sendStream(reply, await fetch(asked, { parsedBody: value }));
}

const identity = { name: 'svc', title: 'Svc payments', version };
const instructions =
  'Payments of one merchant. Amounts are in major units. Tools that move money answer a preview first; show it to the person and act only on their word.';

function callOf({ call }: FastifyRequest) {
  if (!call) throw new Error('the request was admitted');
  return call;
}

/**
 * Refuses a tool outside the token's scopes as an HTTP call would be, with the missing scope, so
 * that a client can ask the person for more. RFC 6750 §3.1. Without that challenge when the
 * application may not have the scope: the client would ask for it for ever.
 */
async function assertScope(
  value: Body['value'],
  tools: Tools,
  { caller, ports }: { caller: ServerCaller; ports: Api['ports'] },
): Promise<void> {
  if (value.method !== 'tools/call') return;
  const name = (value.params as { name?: unknown } | undefined)?.name;
  const tool = typeof name === 'string' ? tools.get(name) : undefined;
  if (!tool) return;
  try {
    authorise(tool.row, { caller, sinceProofMs: null });
  } catch (error) {
    // The role does not depend on the token: its refusal is the tool's answer.
    if (error instanceof Refusal && error.code === 'merchant_role_required') return;
    const { applicationId } = caller;
    const { scope } = tool.row;
    assert(scope !== null && applicationId !== undefined, 'a tool has a scope, an agent an id');
    if (await isScopeAllowed(scope, applicationId, ports)) throw error;
    throw new Refusal('insufficient_scope', {
      message: `This application may not ask for the scope ${scope}. An owner or admin of its merchant adds the scope to the application first.`,
    });
  }
}

async function unknownTool(name: string): Promise<Error> {
  const { ProtocolError, ProtocolErrorCode } = await import('@modelcontextprotocol/server');
  const shown = name.replace(/[^\x21-\x7e]/g, '?').slice(0, 80);
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${shown}`);
}

/** Returns the headers that the protocol reads; credentials are not passed on. */
function protocolHeaders({ headers }: FastifyRequest): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' && (/^mcp-/.test(name) || ['accept', 'content-type'].includes(name))
      ? [[name, value]]
      : [],
  );
}

/** The stream of a request without a session ends with its answer, so it is sent as a whole. */
async function sendStream(reply: FastifyReply, response: Response): Promise<FastifyReply> {
  const type = response.headers.get('content-type');
  const body = await response.text();
  reply.code(response.status);
  return type === null ? reply.send() : reply.header('content-type', type).send(body);
}
