// Decides which pages of other origins may read the responses of the browser routes. Contract §3,
// Origins.
// A preflight carries neither nonce nor body, so the client is unknown: the response depends on the
// origin's syntax alone. The call itself identifies the client, by session or by clientId, and its
// response, including errors, is readable only for an origin that this client has registered. A
// page of any other origin is refused before anything is done, and may read that refusal: 403
// origin_not_allowed. In the sandbox every loopback origin may read. No response here depends on a
// cookie, so a page can read nothing that it could not request without a browser: cookies open only
// calls of the service's own pages.

import { isLoopbackOrigin } from '@svc/contract/servers/origins';
import type { FastifyReply, FastifyRequest, onSendHookHandler } from 'fastify';
import { Refusal } from '../../domain/protocol/refusal.ts';
import { uuidPattern } from '../../domain/protocol/uuid.ts';
import type { Ports } from '../../engine/ports.ts';
import {
  type BrowserOf,
  findBrowserOrigins,
} from '../../engine/steps/clients/find-browser-origins.ts';
import type { Body } from './body.ts';

const maxOriginLength = 300;

/** Returns the page's origin, in the one spelling that browsers send; null when absent or opaque. */
export function readOrigin(header: string | undefined): string | null {
  if (header === undefined || header.length > maxOriginLength) return null;
  if (!/^https?:\/\/[^/?#@\\\s]+$/.test(header)) return null;
  return URL.canParse(header) && new URL(header).origin === header ? header : null;
}

/** `unknown` means that there is no client, and so no list. */
export type Listing = 'listed' | 'unlisted' | 'unknown';

export type OriginGuard = {
  judge(origin: string, of: BrowserOf | null): Promise<Listing>;
};

const cacheMs = 10_000;
const maxCached = 10_000;

/** Caches each list for ten seconds, which is how long a change may take to have effect. */
export function openOriginGuard(
  ports: Pick<Ports, 'database'>,
  settings: { readonly isLive: boolean; readonly ownOrigins: readonly string[] },
  nowMs: () => number = () => performance.now(),
): OriginGuard {
  const cache = new Map<string, { untilMs: number; origins: readonly string[] | null }>();
  const listingOf = (origin: string, origins: readonly string[] | null): Listing => {
    if (!origins) return 'unknown';
    return origins.includes(origin) ? 'listed' : 'unlisted';
  };
  return {
    async judge(origin, of) {
      if (settings.ownOrigins.includes(origin)) return 'listed';
      if (!settings.isLive && isLoopbackOrigin(origin)) return 'listed';
      if (!of) return 'unknown';
      const key = 'clientId' in of ? of.clientId : of.nonceSha256.toString('base64');
      const known = cache.get(key);
      if (known && known.untilMs > nowMs()) return listingOf(origin, known.origins);
      const origins = await findBrowserOrigins(of, ports);
      if (cache.size >= maxCached) cache.clear();
      cache.set(key, { untilMs: nowMs() + cacheMs, origins });
      return listingOf(origin, origins);
    },
  };
}

const allowedHeaders = 'content-type, x-checkout-session-token, x-user-id';

/** Answers a preflight of a browser route. */
export const answerPreflight =
  (methods: readonly string[]) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const origin = readOrigin(request.headers.origin);
    reply.header('vary', 'Origin, Access-Control-Request-Method');
    if (origin !== null) {
      reply
        .header('access-control-allow-origin', origin)
        .header('access-control-allow-methods', methods.join(', '))
        .header('access-control-allow-headers', allowedHeaders)
        .header('access-control-max-age', '600');
    }
    await reply.code(204).send();
  };

/** Lets the page of `origin` read this response. */
function allowReading(reply: FastifyReply, origin: string): void {
  reply
    .header('access-control-allow-origin', origin)
    .header('access-control-expose-headers', 'Request-Id, Retry-After');
}

/** Lets the calling page read the response when its origin is allowed. */
export const shareWithPage =
  (origins: OriginGuard): onSendHookHandler =>
  (request, reply, _, done) => {
    reply.header('vary', 'Origin').header('cross-origin-resource-policy', 'cross-origin');
    const origin = readOrigin(request.headers.origin);
    if (origin === null || request.call?.caller.kind === 'server') return done();
    // When the database is unavailable, a page may read only the refusal of its origin.
    origins.judge(origin, browserOf(request)).then(
      (listing) => {
        const isTold = request.errorCode === 'origin_not_allowed';
        if (listing === 'listed' || isTold) allowReading(reply, origin);
        done();
      },
      () => done(),
    );
  };

/** Refuses a page of an origin that the client has not listed, before anything is done for it. */
export async function assertListed(request: FastifyRequest, origins: OriginGuard): Promise<void> {
  const origin = readOrigin(request.headers.origin);
  if (origin === null || request.call?.caller.kind === 'server') return;
  const listing = await origins.judge(origin, browserOf(request));
  if (listing === 'unlisted') throw new Refusal('origin_not_allowed');
}

function browserOf({ call, body }: FastifyRequest) {
  if (call?.caller.kind === 'session') return { nonceSha256: call.caller.nonceSha256 };
  const clientId = (body as Body | undefined)?.value.clientId;
  return typeof clientId === 'string' && uuidPattern.test(clientId)
    ? { clientId: clientId.toLowerCase() }
    : null;
}
