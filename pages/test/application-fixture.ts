// An application that asks for access, built with a real OAuth client library.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as oauth from 'openid-client';
import { afterAll, beforeAll, expect } from 'vitest';
import type { AccountTest, TestPerson } from './account-fixture.ts';

type AuthorizationRequest = {
  readonly url: string;
  /** Waits for the redirect and exchanges its code, as the application does. */
  receive(): Promise<oauth.TokenEndpointResponse>;
};

const most = [
  'payments:read',
  'payments:write',
  'refunds:write',
  'customers:read',
  'checkout:write',
  'payment_methods:read',
  'mcp',
];

class ApplicationTest {
  readonly #test: AccountTest;
  /** The server to which the browser is redirected. */
  #server: Server | undefined;
  redirectUri = '';

  constructor(test: AccountTest) {
    this.#test = test;
  }

  async start(): Promise<void> {
    const server = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html');
      response.end('<title>Ledger Sync</title><h1>Back</h1>');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    this.redirectUri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`;
    this.#server = server;
  }

  stop(): void {
    this.#server?.closeAllConnections();
    this.#server?.close();
  }

  discover(id: string): Promise<oauth.Configuration> {
    return oauth.discovery(new URL(this.#test.baseUrl), id, undefined, oauth.None(), {
      algorithm: 'oauth2',
      execute: [oauth.allowInsecureRequests],
    });
  }

  /** Creates Ada, an owner of one merchant and a member of another, and an application of the first. */
  async setUpAda() {
    const ada = await this.#test.person();
    const own = await this.#test.merchant('Tin & Twine');
    const other = await this.#test.merchant('Copper Kettle');
    await this.#test.join(ada, own);
    await this.#test.join(ada, other, 'member');
    return { ada, own, other, id: await this.#make(ada, own.id) };
  }

  async #make(owner: TestPerson, clientId: string): Promise<string> {
    const body = {
      name: 'Ledger Sync',
      uri: 'https://ledger.example/',
      kind: 'public',
      redirectUris: [this.redirectUri],
      scopes: most,
    };
    const call = { method: 'POST', path: '/v1/applications', body, clientId };
    const made = await this.#test.callAs<{ id: string }>(owner, call);
    expect(made.status).toBe(201);
    return made.body.id;
  }

  /** Starts an authorization request. */
  async ask(
    id: string,
    scopes: readonly string[],
    more: Record<string, string> = {},
  ): Promise<AuthorizationRequest> {
    const config = await this.discover(id);
    const pkceCodeVerifier = oauth.randomPKCECodeVerifier();
    const expectedState = oauth.randomState();
    const { href: url } = oauth.buildAuthorizationUrl(config, {
      redirect_uri: this.redirectUri,
      scope: scopes.join(' '),
      code_challenge: await oauth.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
      state: expectedState,
      ...more,
    });
    const checks = { pkceCodeVerifier, expectedState };
    const readAddress = () => new URL(this.#test.page.url());
    return { url, receive: () => oauth.authorizationCodeGrant(config, readAddress(), checks) };
  }

  back(): Promise<void> {
    return this.#test.page.waitForURL((url) => url.href.startsWith(this.redirectUri));
  }

  /** Waits for the consent page, until its button accepts a click. */
  async consent(): Promise<void> {
    await this.#test.heading(/Give .+ access\?/).waitFor();
    const settling = this.#test.page.locator('.pay[aria-disabled=true]');
    // A locator's own wait would check only twice a second by then.
    await expect.poll(() => settling.count()).toBe(0);
  }

  /** Clicks once the page has been visible long enough. */
  async allow(): Promise<void> {
    const allowed = this.#test.page.locator('[aria-disabled=false]', { hasText: 'Allow' });
    await allowed.click();
  }

  read(path: string, { access_token }: oauth.TokenEndpointResponse): Promise<Response> {
    const headers = { authorization: `Bearer ${access_token}` };
    return fetch(`${this.#test.baseUrl}/v1/${path}`, { headers });
  }
}

/** Sets up one application for a test file of the account's pages. */
export function applicationTest(test: AccountTest): ApplicationTest {
  const asking = new ApplicationTest(test);
  beforeAll(() => asking.start());
  afterAll(() => asking.stop());
  return asking;
}
