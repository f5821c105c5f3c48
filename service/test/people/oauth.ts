// A whole service with its OAuth server over HTTP, a person's browser, and applications.

import { randomBytes } from 'node:crypto';
import { refuse } from '../../src/engine/implement.ts';
import type { Ports } from '../../src/engine/ports.ts';
import { openOauth } from '../../src/oauth/open-oauth.ts';
import type { FetchedDocument } from '../../src/oauth/settings.ts';
import { createApplication } from '../../src/operations/applications/create-application.ts';
import { freePort } from '../../src/start/free-port.ts';
import { callerOf, portsFor, type TestDatabase, type TestToken } from '../harness.ts';
import { aServer, type TestServer } from '../server.ts';
import { aSignIn, type TestSignIn } from './people.ts';

export type OauthWorld = {
  /** The address that is published to clients. */
  readonly baseUrl: string;
  /** The address at which this process listens. */
  readonly address: string;
  readonly ports: Ports;
  readonly server: TestServer;
  /** The metadata documents of applications, by address. */
  readonly documents: Map<string, Partial<FetchedDocument>>;
  /** How often each address was fetched. */
  readonly fetched: string[];
  readonly errors: unknown[];
};

const oauthKey = Buffer.alloc(32, 3);

/** Starts a server on the database; a second process gets the base address of the first. */
export async function startOauth(
  test: TestDatabase,
  given: { isLimited?: boolean; baseUrl?: string } = {},
): Promise<OauthWorld> {
  const port = await freePort();
  const address = `http://localhost:${port}`;
  const baseUrl = given.baseUrl ?? address;
  const plain = portsFor(test.database);
  const ports = { ...plain, settings: { ...plain.settings, baseUrl, checkoutUrl: baseUrl } };
  const documents = new Map<string, Partial<FetchedDocument>>();
  const fetched: string[] = [];
  const errors: unknown[] = [];
  const server = await aServer(ports, {
    mountOauth: openOauth({
      ports,
      key: oauthKey,
      async fetchDocument(url) {
        fetched.push(url);
        const none = { status: null, body: Buffer.alloc(0), headers: {} };
        return { ...none, ...documents.get(url) };
      },
      log: { error: (_, facts) => void errors.push(facts) },
      isLimited: given.isLimited ?? false,
    }),
  });
  await server.listen('localhost', port);
  // Loads the OAuth library before the tests measure anything.
  await fetch(`${address}/oauth/authorize`);
  return { baseUrl, address, ports, server, documents, fetched, errors };
}

type Cookie = { readonly value: string; readonly path: string };

/** A browser: keeps cookies by name and path, and follows no redirect by itself. */
export class Browser {
  readonly #cookies = new Map<string, Cookie>();
  readonly #baseUrl: string;

  constructor(baseUrl: string) {
    this.#baseUrl = baseUrl;
  }

  async signIn(ports: Ports, user: { readonly id: string }, minutesAgo = 0): Promise<TestSignIn> {
    const signIn = await aSignIn(ports, user, { provenMinutesAgo: minutesAgo });
    const [name = '', value = ''] = signIn.cookie.split('=');
    this.#cookies.set(`${name} /`, { value, path: '/' });
    return signIn;
  }

  signOut(): void {
    this.#cookies.delete('svc_sign_in /');
  }

  async fetch(
    path: string,
    given: { method?: string; body?: unknown; headers?: Record<string, string> } = {},
  ): Promise<Response> {
    const url = new URL(path, this.#baseUrl);
    const cookie = [...this.#cookies]
      .filter(([, { path: under }]) => isPathBelow(url.pathname, under))
      .map(([name, { value }]) => `${name.split(' ')[0]}=${value}`)
      .join('; ');
    const { method = 'GET', body } = given;
    const response = await fetch(url, {
      method,
      redirect: 'manual',
      headers: {
        ...(cookie ? { cookie } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...given.headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    for (const line of response.headers.getSetCookie()) this.#keep(line);
    return response;
  }

  #keep(line: string): void {
    const [pair = '', ...attributes] = line.split('; ');
    const at = pair.indexOf('=');
    const [name, value] = [pair.slice(0, at), pair.slice(at + 1)];
    const path = attributes.find((each) => /^path=/i.test(each))?.slice(5) ?? '/';
    if (value === '') this.#cookies.delete(`${name} ${path}`);
    else this.#cookies.set(`${name} ${path}`, { value, path });
  }

  /** Calls as our own page does. */
  async call<T>(path: string, body?: unknown): Promise<{ status: number; body: T }> {
    const method = body === undefined ? 'GET' : 'POST';
    const headers = { 'sec-fetch-site': 'same-origin', origin: new URL(this.#baseUrl).origin };
    const response = await this.fetch(path, { method, body, headers });
    return { status: response.status, body: (await response.json()) as T };
  }

  /** Opens the authorization request and returns the address of the redirect. */
  async go(url: URL | string): Promise<URL> {
    const response = await this.fetch(String(url), {
      headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' },
    });
    const location = response.headers.get('location');
    if (location === null) throw new Error(`${response.status}: ${await response.text()}`);
    return new URL(location, this.#baseUrl);
  }
}

const isPathBelow = (path: string, under: string): boolean =>
  under === '/' || path === under || path.startsWith(`${under}/`);

export const uidOf = (page: URL): string => page.pathname.split('/').at(-1) ?? '';

/** What the consent page gets from the service. */
export type ConsentRequest = {
  readonly prompt: string;
  readonly kind: string;
  readonly application: Readonly<Record<string, unknown>>;
  readonly scopes: readonly string[];
  readonly isForAgents: boolean;
  readonly merchants: readonly { clientId: string; name: string; role: string }[];
  readonly person: { email: string } | null;
};

/** Decides as the person on our page; returns the address to which the browser goes on. */
export async function decide(
  browser: Browser,
  page: URL,
  decision: object,
): Promise<{ status: number; body: { redirectTo: string; code: string } }> {
  return browser.call(`/oauth/interactions/${uidOf(page)}`, decision);
}

export const redirectUri = 'https://app.example.test/callback';

/** Creates an application of the token's owner. */
export async function anApplication(
  ports: Ports,
  owner: TestToken,
  given: {
    kind?: 'confidential' | 'public';
    redirectUris?: string[];
    scopes?: string[];
    name?: string;
  } = {},
): Promise<{ readonly id: string; readonly secret: string | null }> {
  const answer = await createApplication(
    {
      body: {
        name: given.name ?? 'Desk',
        kind: given.kind ?? 'public',
        redirectUris: given.redirectUris ?? [redirectUri],
        scopes: (given.scopes ?? ['mcp', 'payments:read', 'payment_methods:read']) as 'mcp'[],
      },
    },
    callerOf(owner),
    ports,
    refuse,
  );
  if (!('body' in answer)) throw new Error('an application is answered');
  return { id: answer.body.id, secret: answer.body.secret };
}

export const aState = (): string => randomBytes(16).toString('base64url');
