// What an application says about itself at the address that is its id (client id metadata
// documents). Of the document only what we go by is let in: it is a stranger's.

import { isRedirectUri } from '../domain/protocol/redirect-uri.ts';
import { allowedToAll } from './client-metadata.ts';
import type { OauthSettings } from './settings.ts';

const maxNameLength = 100;
const maxRedirects = 20;

/** Taken over as they are; whatever is not here, secrets of the document too, the library judges. */
const kept = ['client_id', 'client_uri', 'client_secret', 'client_secret_expires_at'];

/** The document as the library's `fetch` expects its answer. Rejects where there is none. */
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

// Marks that are not seen, or turn the direction of writing, make one name look like another.
const unseen = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** Null for what is no such document. */
function readDocument(text: string): unknown {
  const document = JSON.parse(text) as unknown;
  if (typeof document !== 'object' || document === null || Array.isArray(document)) return null;
  const given = document as Record<string, unknown>;
  const redirectUris = Array.isArray(given.redirect_uris) ? given.redirect_uris : [];
  if (redirectUris.length > maxRedirects || !redirectUris.every(isRedirect)) {
    return null;
  }
  const named = typeof given.client_name === 'string' ? given.client_name : '';
  const name = named.replace(unseen, '').trim();
  return {
    ...Object.fromEntries(kept.flatMap((key) => (key in given ? [[key, given[key]]] : []))),
    client_name: name.slice(0, maxNameLength) || hostOf(given.client_id),
    redirect_uris: redirectUris,
    // Nobody shared a secret with us, and keys of its own we do not fetch.
    token_endpoint_auth_method: given.token_endpoint_auth_method ?? 'none',
    ...allowedToAll(redirectUris),
  };
}

const isRedirect = (uri: unknown): boolean => typeof uri === 'string' && isRedirectUri(uri);

const hostOf = (url: unknown): string => URL.parse(String(url))?.host ?? 'application';
