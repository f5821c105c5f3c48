// Reads what an application states about itself at the URL that is its id (client id metadata
// documents). Only the fields that are used are taken over, because a stranger wrote the document.

import { isVisible, oneLine } from '@svc/contract/servers/plain-text';
import { cutText } from '@svc/contract/values/characters';
import { isRedirectUri } from '../domain/protocol/redirect-uri.ts';
import { metadataForAll } from './client-metadata.ts';
import type { OauthSettings } from './settings.ts';

const maxNameLength = 100;
const maxRedirects = 20;

/** Fields that are taken over unchanged; the library checks them, a secret of the document included. */
const copiedFields = ['client_id', 'client_uri', 'client_secret', 'client_secret_expires_at'];

/**
 * Returns the document as the response that the library's `fetch` expects. Rejects when there is no
 * answer.
 */
export async function describeApplication(
  url: string,
  fetchDocument: OauthSettings['fetchDocument'],
): Promise<Response> {
  const { status, body, headers } = await fetchDocument(url);
  if (status === null) throw new Error('no answer');
  const read = status === 200 ? readDocument(body.toString('utf8')) : null;
  return new Response(JSON.stringify(read), { status, headers: cachingOf(headers) });
}

const cachingOf = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    ['cache-control', 'expires'].flatMap((name) =>
      headers[name] === undefined ? [] : [[name, headers[name]]],
    ),
  );

/** Returns null when the text is not such a document. */
function readDocument(text: string): unknown {
  const document = JSON.parse(text) as unknown;
  if (typeof document !== 'object' || document === null || Array.isArray(document)) return null;
  const given = document as Record<string, unknown>;
  const redirectUris = Array.isArray(given.redirect_uris) ? given.redirect_uris : [];
  if (redirectUris.length > maxRedirects || !redirectUris.every(isRedirect)) {
    return null;
  }
  const named = typeof given.client_name === 'string' ? given.client_name : '';
  const name = cutText(oneLine(named), maxNameLength);
  return {
    ...Object.fromEntries(copiedFields.flatMap((key) => (key in given ? [[key, given[key]]] : []))),
    client_name: isVisible(name) ? name : hostOf(given.client_id),
    redirect_uris: redirectUris,
    // Such an application shares no secret with the service, and the service does not fetch its keys.
    token_endpoint_auth_method: given.token_endpoint_auth_method ?? 'none',
    ...metadataForAll(redirectUris),
  };
}

const isRedirect = (uri: unknown): boolean => typeof uri === 'string' && isRedirectUri(uri);

const hostOf = (url: unknown): string => URL.parse(String(url))?.host ?? 'application';
