// Contract §6: an agent that knows the address alone finds its way to a token with its own OAuth
// client: protected resource, authorization server, the person's consent, refresh, more scopes.

import {
  Client,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  aClient,
  aToken,
  freshDatabase,
  moveClock,
  newId,
  type TestClient,
  type TestDatabase,
  type TestToken,
} from '../../service/test/harness.ts';
import {
  anApplication,
  Browser,
  decide,
  type OauthWorld,
  redirectUri,
  startOauth,
} from '../../service/test/people/oauth.ts';
import { callTool, postMcp, toolCall } from './agent.ts';

let test: TestDatabase;
let world: OauthWorld;
let client: TestClient;
let owner: TestToken;
beforeAll(async () => {
  test = await freshDatabase();
  world = await startOauth(test);
  client = await aClient(test.database, { name: 'A shop' });
  owner = await aToken(test.database, client);
});
afterAll(async () => {
  await world.server.close();
  await test.close();
});

const scopes = ['payments:read', 'refunds:write', 'catalog:read', 'catalog:write'];

/** Stores the agent's OAuth data, and the address to which it sends the person. */
class Keeper implements OAuthClientProvider {
  readonly redirectUrl = redirectUri;
  readonly clientMetadata = {
    client_name: 'A test agent',
    redirect_uris: [redirectUri],
    scope: 'payments:read',
  };
  readonly clientMetadataUrl?: string;
  readonly #applicationId: string | undefined;
  #tokens: StoredOAuthTokens | undefined;
  #discovered: OAuthDiscoveryState | undefined;
  #verifier = '';
  #information: { client_id: string } | undefined;
  sentTo: URL | undefined;

  constructor(known: { applicationId?: string; metadataUrl?: string }) {
    this.#applicationId = known.applicationId;
    if (known.metadataUrl) this.clientMetadataUrl = known.metadataUrl;
  }

  clientInformation() {
    return this.#applicationId
      ? { client_id: this.#applicationId, issuer: world.baseUrl }
      : this.#information;
  }
  saveClientInformation(information: { client_id: string }) {
    this.#information = information;
  }
  tokens() {
    return this.#tokens;
  }
  saveTokens(tokens: StoredOAuthTokens) {
    this.#tokens = tokens;
  }
  redirectToAuthorization(url: URL) {
    this.sentTo = url;
  }
  saveDiscoveryState(state: OAuthDiscoveryState) {
    this.#discovered = state;
  }
  discoveryState() {
    return this.#discovered;
  }
  saveCodeVerifier(verifier: string) {
    this.#verifier = verifier;
  }
  codeVerifier() {
    return this.#verifier;
  }
}

const transportOf = (keeper: Keeper, path = '/mcp') =>
  new StreamableHTTPClientTransport(new URL(path, world.baseUrl), { authProvider: keeper });

const agentOf = () =>
  new Client({ name: 'a test agent', version: '1' }, { versionNegotiation: { mode: 'auto' } });

/**
 * Signs in, chooses the merchant and gives consent; returns the address to which the browser comes
 * back.
 */
async function allow(sentTo: URL | undefined): Promise<URL> {
  if (!sentTo) throw new Error('the person was sent nowhere');
  const browser = new Browser(world.baseUrl);
  await browser.signIn(world.ports, { id: owner.userId });
  const page = await browser.go(sentTo);
  const answer = await decide(browser, page, { decision: 'allow', clientId: client.id });
  expect(answer.status).toBe(200);
  return browser.go(answer.body.redirectTo);
}

/** Returns an agent with a valid token. */
async function connectWithToken(keeper: Keeper): Promise<Client> {
  const first = transportOf(keeper);
  await expect(agentOf().connect(first)).rejects.toThrow(UnauthorizedError);
  const back = await allow(keeper.sentTo);
  await first.finishAuth(back.searchParams);
  const agent = agentOf();
  await agent.connect(transportOf(keeper));
  return agent;
}

describe('an agent that knows the address alone', () => {
  it('finds the authorization server, and is let in by the person', async () => {
    const { id } = await anApplication(world.ports, owner, { scopes });
    const keeper = new Keeper({ applicationId: id });
    const agent = await connectWithToken(keeper);
    expect(keeper.sentTo?.origin).toBe(world.baseUrl);
    expect(keeper.sentTo?.searchParams.get('code_challenge_method')).toBe('S256');
    expect(keeper.tokens()).toMatchObject({ token_type: expect.stringMatching(/^bearer$/i) });
    const { tools } = await agent.listTools();
    expect(tools.map(({ name }) => name)).toContain('list_payments');
    const told = await callTool(agent, 'list_payments', {});
    expect(told.structured).toMatchObject({ data: [], total: 0 });
    await agent.close();
  });

  it('asks for a token of /mcp, which moves no money beside the tools: 401 on capture', async () => {
    const { id } = await anApplication(world.ports, owner, { scopes });
    const keeper = new Keeper({ applicationId: id });
    const agent = await connectWithToken(keeper);
    await agent.close();
    expect(keeper.sentTo?.searchParams.get('resource')).toBe(`${world.baseUrl}/mcp`);
    const authorization = `Bearer ${keeper.tokens()?.access_token}`;
    for (const [method, path] of [
      ['PUT', `/v1/payments/${newId()}/capture`],
      ['PUT', `/v1/payments/${newId()}/cancel`],
      ['POST', `/v1/payments/${newId()}/refunds`],
      ['DELETE', `/v1/payment-methods/${newId()}`],
      ['GET', '/v1/payments'],
    ] as const) {
      const headers = { authorization, 'idempotency-key': 'k' };
      const answer = await fetch(`${world.baseUrl}${path}`, { method, headers });
      expect(answer.status, path).toBe(401);
      expect(answer.headers.get('www-authenticate')).toContain('error="invalid_token"');
    }
  });

  it('is known by its metadata document where nobody has made it known', async () => {
    const metadataUrl = 'https://agent.example.test/client.json';
    world.documents.set(metadataUrl, {
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(
        JSON.stringify({
          client_id: metadataUrl,
          client_name: 'A test agent',
          redirect_uris: [redirectUri],
          grant_types: ['authorization_code', 'refresh_token'],
          response_types: ['code'],
          token_endpoint_auth_method: 'none',
        }),
      ),
    });
    const keeper = new Keeper({ metadataUrl });
    const agent = await connectWithToken(keeper);
    expect(keeper.sentTo?.searchParams.get('client_id')).toBe(metadataUrl);
    expect((await callTool(agent, 'list_payments', {})).isError).toBe(false);
    await agent.close();
  });

  it('refreshes its token by itself once it has expired', async () => {
    const { id } = await anApplication(world.ports, owner, { scopes });
    const keeper = new Keeper({ applicationId: id });
    const agent = await connectWithToken(keeper);
    const before = keeper.tokens()?.access_token;
    keeper.sentTo = undefined;
    await moveClock(test.database, 3_601_000);
    expect((await callTool(agent, 'list_payments', {})).isError).toBe(false);
    expect(keeper.tokens()?.access_token).not.toBe(before);
    expect(keeper.sentTo).toBeUndefined();
    await agent.close();
  });

  it('asks for what only looks, and for more where its address says so', async () => {
    const { id } = await anApplication(world.ports, owner, { scopes });
    const authorizeAt = async (path: string) => {
      const keeper = new Keeper({ applicationId: id });
      await expect(agentOf().connect(transportOf(keeper, path))).rejects.toThrow(UnauthorizedError);
      return keeper.sentTo?.searchParams.get('scope')?.split(' ') ?? [];
    };
    const plain = await authorizeAt('/mcp');
    expect(plain).toEqual(expect.arrayContaining(['payments:read', 'catalog:read']));
    expect(plain.filter((scope) => !scope.endsWith(':read'))).toEqual([]);
    const named = await authorizeAt('/mcp?scope=refunds:write');
    expect(named.filter((scope) => scope.endsWith(':write'))).toEqual(['refunds:write']);
  });

  it('is sent to the person for the scope of a tool that it lacks', async () => {
    const { id } = await anApplication(world.ports, owner, { scopes });
    const keeper = new Keeper({ applicationId: id });
    const first = await connectWithToken(keeper);
    await first.close();
    const transport = transportOf(keeper);
    const agent = agentOf();
    await agent.connect(transport);
    expect(keeper.tokens()?.scope).toBe('payments:read catalog:read');
    keeper.sentTo = undefined;
    const product = {
      code: 'cup',
      name: 'Cup',
      kind: 'item',
      prices: [{ currency: 'EUR', amount: 5 }],
    };
    await expect(callTool(agent, 'create_product', product)).rejects.toThrow();
    const asked = new URL(String(keeper.sentTo)).searchParams.get('scope')?.split(' ');
    expect(asked).toEqual(expect.arrayContaining(['payments:read', 'catalog:write']));
    await transport.finishAuth((await allow(keeper.sentTo)).searchParams);
    const told = await callTool(agent, 'create_product', product);
    expect(told.structured).toMatchObject({ code: 'cup' });
    await agent.close();
  });

  it('is told once, and sent to nobody, where the application may not have the scope', async () => {
    const { id } = await anApplication(world.ports, owner, { scopes: ['payments:read'] });
    const keeper = new Keeper({ applicationId: id });
    const agent = await connectWithToken(keeper);
    expect(keeper.tokens()?.scope).toBe('payments:read');
    keeper.sentTo = undefined;
    await expect(callTool(agent, 'list_products', {})).rejects.toThrow(
      'This application may not ask for the scope catalog:read',
    );
    expect(keeper.sentTo).toBeUndefined();
    await agent.close();
    const answer = await postMcp(
      world,
      { authorization: `Bearer ${keeper.tokens()?.access_token}` },
      toolCall('list_products', {}),
    );
    expect(answer.status).toBe(403);
    expect(await answer.json()).toMatchObject({ code: 'insufficient_scope' });
    expect(answer.headers.get('www-authenticate')).toBeNull();
  });
});
