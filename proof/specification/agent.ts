// The agent of these tests: the real client of the Model Context Protocol, connected through a
// proxy that can cut connections to a whole service with its provider and vault.

import assert from 'node:assert';
import { connect, createServer, type Socket } from 'node:net';
import {
  type CallToolResult,
  Client,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { scopes } from '@svc/contract/rows/scopes';
import { settleInDoubt } from '../../service/src/engine/runs/payments/settle-in-doubt.ts';
import type { LimitSettings } from '../../service/src/http/limits/limits.ts';
import type { OperationTable } from '../../service/src/http/rows/api.ts';
import { sql } from '../../service/src/storage/database/sql.ts';
import { aToken, type TestToken } from '../../service/test/harness.ts';
import { aGrant, type TestGrant } from '../../service/test/people/grants.ts';
import { aServer } from '../../service/test/server.ts';
import { aHold, startWorld, type World } from '../../service/test/world.ts';
import { freePort } from '../chaos/free-port.ts';

/** What happens to the next call: it succeeds, its response is lost, or it never arrives. */
export type CallFate = 'well' | 'answer_lost' | 'never_arrives';

export type CuttingProxy = Awaited<ReturnType<typeof openCuttingProxy>>;

/** Opens a proxy to a port; it cuts the connection of a `POST` as planned. */
export async function openCuttingProxy(to: number) {
  const fates: CallFate[] = [];
  const sockets = new Set<Socket>();
  let cuts = 0;
  const server = createServer((near) => {
    const far = connect(to, '127.0.0.1');
    let isCut = false;
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => sockets.delete(socket));
    }
    const cutConnection = () => {
      cuts += 1;
      near.destroy();
    };
    near.on('data', (bytes) => {
      const fate = bytes.subarray(0, 5).toString('latin1') === 'POST ' ? fates.shift() : undefined;
      if (fate === 'never_arrives') {
        cutConnection();
        far.destroy();
        return;
      }
      isCut ||= fate === 'answer_lost';
      far.write(bytes);
    });
    far.on('data', (bytes) => {
      // The first byte of the response proves that the call was executed.
      if (isCut) cutConnection();
      else near.write(bytes);
    });
    near.on('close', () => setTimeout(() => far.destroy(), 5000).unref());
    far.on('close', () => near.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}`,
    /** Sets what happens to the next calls, in their order. */
    plan: (...next: CallFate[]) => void fates.push(...next),
    cuts: () => cuts,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const letGo = sql(
  'agent_let_go',
  `update payment_operations set lease_until = svc_clock(), next_check_at = svc_clock()
   where state in ('active', 'in_doubt', 'awaiting_customer')`,
);

export type Fixture = Awaited<ReturnType<typeof openFixture>>;

export async function openFixture(
  given: { limits?: LimitSettings; operations?: OperationTable } = {},
) {
  const world = await startWorld();
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const settings = { ...world.ports.settings, baseUrl };
  const server = await aServer({ ...world.ports, settings }, { limits: null, ...given });
  await server.listen('127.0.0.1', port);
  // The provider's SDK is loaded at the first call, which may take longer than a call may.
  await aHold(world).catch(() => undefined);
  const way = await openCuttingProxy(port);
  return {
    world,
    baseUrl,
    way,
    server,
    /** Starts one more process with the same base address and returns its own address. */
    async another(): Promise<{ url: string; close(): Promise<void> }> {
      const second = await aServer({ ...world.ports, settings }, { limits: null, ...given });
      const secondPort = await freePort();
      await second.listen('127.0.0.1', secondPort);
      return { url: `http://127.0.0.1:${secondPort}`, close: () => second.close() };
    },
    /** Creates a consent of the member, to a new application unless one is named. */
    grant: (scopes: readonly string[], member: TestToken = world.token, applicationId?: string) =>
      createGrant(world, scopes, { member, ...(applicationId ? { applicationId } : {}) }),
    member: (role: 'owner' | 'admin' | 'member') => aToken(world.database, world.client, { role }),
    /** Ends the leases, then runs one pass of the recovery worker. */
    async recover(): Promise<void> {
      await world.database.write(letGo, []);
      await settleInDoubt(world.ports, { limit: 50, onError: () => undefined });
    },
    async close() {
      await way.close();
      await server.close();
      await world.close();
    },
  };
}

const createGrant = (
  world: World,
  scopes: readonly string[],
  { member, ...more }: { member: TestToken; applicationId?: string },
) =>
  aGrant(world, {
    ...more,
    user: { id: member.userId },
    client: { id: member.clientId },
    scopes,
    // Longer than these tests move the clock.
    lifeSeconds: 86_400,
  });

export type Era = 'legacy' | 'auto';

/** Returns a connected client; `era` sets the revisions of the protocol that it supports. */
export async function connectAgent(
  url: string,
  { accessToken }: Pick<TestGrant, 'accessToken'>,
  era: Era = 'auto',
): Promise<Client> {
  const client = new Client(
    { name: 'a test agent', version: '1.0.0' },
    { versionNegotiation: { mode: era } },
  );
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', url), {
    requestInit: { headers: { authorization: `Bearer ${accessToken}` } },
  });
  await client.connect(transport);
  return client;
}

type Json = Record<string, unknown>;

/** The same with the protocol's SDK 1.x, which most agents have. */
export async function connectOldAgent(
  url: string,
  { accessToken }: Pick<TestGrant, 'accessToken'>,
): Promise<OldClient> {
  const client = new OldClient({ name: 'an older test agent', version: '1.0.0' });
  const transport = new OldTransport(new URL('/mcp', url), {
    requestInit: { headers: { authorization: `Bearer ${accessToken}` } },
  });
  // Its class and its interface disagree on optional fields under exactOptionalPropertyTypes.
  await client.connect(transport as Transport);
  return client;
}

export type ToolResult = {
  readonly isError: boolean;
  readonly code: string | null;
  /** The structured content; of an error, which has none, its text. */
  readonly structured: Record<string, unknown>;
  readonly text: string;
};

/** Calls a tool and returns the result as the agent reads it. */
export async function callTool(
  client: Client,
  name: string,
  args: Record<string, unknown>,
): Promise<ToolResult> {
  const result = (await client.callTool({ name, arguments: args })) as CallToolResult;
  const texts = result.content.map((each) => (each.type === 'text' ? each.text : ''));
  const isError = result.isError === true;
  assert(isError === (result.structuredContent === undefined), 'only errors are text alone');
  const structured = (isError ? JSON.parse(texts.join('')) : result.structuredContent) as Json;
  return {
    isError,
    code: isError ? String(structured.code) : null,
    structured,
    text: texts.join('\n'),
  };
}

export type PreviewResult = {
  readonly effect: string;
  readonly amount: number;
  readonly currency: string;
  readonly confirmation: string;
  readonly earlier: readonly { occurrence: number; at: string; status: string; state: string }[];
};

export const previewOf = (told: ToolResult): PreviewResult =>
  told.structured.preview as PreviewResult;
export const outcomeOf = (told: ToolResult): Record<string, unknown> =>
  told.structured.outcome as Record<string, unknown>;

/** The scopes that let an agent read. */
export const readScopes = [
  'payments:read',
  'payment_methods:read',
  'customers:read',
  'catalog:read',
  'events:read',
  'webhooks:read',
  'disputes:read',
];
/** Every scope that there is. */
export const allToolScopes: readonly string[] = scopes;

/** Returns the body of a tool call. */
export const toolCall = (name: string, args: object) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: args },
});

/** Sends a request to `/mcp` without the protocol's client. */
export const postMcp = (
  { baseUrl }: Pick<Fixture, 'baseUrl'>,
  headers: Record<string, string>,
  body: unknown = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
): Promise<Response> =>
  fetch(`${baseUrl}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
