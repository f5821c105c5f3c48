// Reads the credentials in a request's headers strictly: only one spelling is accepted, so that no
// two readers can understand it differently.

import { parseApiToken } from '../../domain/people/api-token.ts';
import { readUserAgent } from '../../domain/people/user-agent.ts';
import { writtenUuidPattern } from '../../domain/protocol/uuid.ts';

const maxHeaderLength = 1024;

export type CredentialHeaders = {
  readonly authorization: readonly string[];
  readonly nonces: readonly string[];
  readonly pages: readonly string[];
  /** The client that a person's browser acts for. */
  readonly clients: readonly string[];
  readonly cookies: readonly string[];
  readonly fetchSites: readonly string[];
  readonly origins: readonly string[];
  readonly languages: readonly string[];
  readonly userAgent?: string;
};

const places = {
  authorization: 'authorization',
  'x-checkout-session-token': 'nonces',
  'x-customer-page-token': 'pages',
  'x-svc-client': 'clients',
  cookie: 'cookies',
  'sec-fetch-site': 'fetchSites',
  origin: 'origins',
  'accept-language': 'languages',
  'user-agent': 'agents',
} as const;

/** Values in the order received; Node joins or drops repeated headers elsewhere. */
export function readCredentials(rawHeaders: readonly string[]): CredentialHeaders {
  const read = {
    authorization: [] as string[],
    nonces: [] as string[],
    pages: [] as string[],
    clients: [] as string[],
    cookies: [] as string[],
    fetchSites: [] as string[],
    origins: [] as string[],
    languages: [] as string[],
    agents: [] as string[],
  };
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]?.toLowerCase() ?? '';
    if (Object.hasOwn(places, name)) {
      read[places[name as keyof typeof places]].push(rawHeaders[i + 1] ?? '');
    }
  }
  const { agents, ...credentials } = read;
  const userAgent = readUserAgent(agents[0]);
  return userAgent === undefined ? credentials : { ...credentials, userAgent };
}

export type BasicCredential = { readonly clientId: string; readonly token: string };

/**
 * Returns the credential of `Authorization: Basic …` (RFC 7617): one header, canonical base64, the
 * client's UUID before the first colon, an API token with a right checksum after it. Returns
 * undefined for anything else; nothing is looked up.
 */
export function parseBasic(values: readonly string[]): BasicCredential | undefined {
  const [value = ''] = values;
  if (values.length !== 1 || value.length > maxHeaderLength) return undefined;
  const encoded = /^basic ([A-Za-z0-9+/]+={0,2})$/i.exec(value)?.[1];
  if (encoded === undefined) return undefined;
  const bytes = Buffer.from(encoded, 'base64');
  // Node's decoder skips invalid characters and accepts missing padding; only the canonical
  // spelling is accepted.
  if (bytes.toString('base64') !== encoded) return undefined;
  const text = bytes.toString('latin1');
  const colon = text.indexOf(':');
  const clientId = text.slice(0, Math.max(colon, 0)).toLowerCase();
  const token = parseApiToken(text.slice(colon + 1));
  if (!writtenUuidPattern.test(clientId) || token === undefined) return undefined;
  return { clientId, token };
}

/**
 * Returns the token of `Authorization: Bearer …` (RFC 6750 §2.1), in the form that the service's
 * OAuth server issues.
 */
export function parseBearer(values: readonly string[]): string | undefined {
  const [value = ''] = values;
  if (values.length !== 1 || value.length > maxHeaderLength) return undefined;
  return /^bearer ([A-Za-z0-9_-]{20,200})$/i.exec(value)?.[1];
}

/** Returns the client of `x-svc-client`: one header with one UUID. */
export function parseClientId(values: readonly string[]): string | undefined {
  const [value = ''] = values;
  const clientId = value.toLowerCase();
  return values.length === 1 && writtenUuidPattern.test(clientId) ? clientId : undefined;
}
