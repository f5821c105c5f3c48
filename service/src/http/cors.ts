// Which pages of other origins may read the answers of the browser routes. Contract §3, Origins.
//
// A preflight carries neither nonce nor body, so the client is not known: it is answered by the
// origin's syntax alone. The call itself names the client, by session or by clientId, and its
// answer, refusals included, is readable only for an origin that this client registered. In the
// sandbox every loopback origin may read. No answer here depends on a cookie, so a page reads nothing
// that it could not ask for without the browser's help: cookies open our own pages' calls alone.

import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  type BrowserOf,
  findBrowserOrigins,
} from '../operations/browser-origins/find-browser-origins.ts';
import type { Ports } from '../operations/ports.ts';

const maxOriginLength = 300;

/** The page's origin, in the one spelling that browsers send; null when absent or opaque. */
export function readOrigin(header: string | undefined): string | null {
  if (header === undefined || header.length > maxOriginLength) return null;
  if (!/^https?:\/\/[^/?#@\\\s]+$/.test(header)) return null;
  return URL.canParse(header) && new URL(header).origin === header ? header : null;
}

/** http or https on this very machine. */
export function isLoopbackOrigin(origin: string): boolean {
  const { hostname } = new URL(origin);
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127\.\d+\.\d+\.\d+$/.test(hostname)
  );
}

export type OriginGuard = {
  mayRead(origin: string, of: BrowserOf | null): Promise<boolean>;
};

const cacheMs = 10_000;
const maxCached = 10_000;

/** Answers are remembered for ten seconds: as long as a change of the list takes to be seen. */
export function openOriginGuard(
  ports: Pick<Ports, 'database'>,
  settings: { readonly isLive: boolean; readonly ownOrigins: readonly string[] },
  nowMs: () => number = () => performance.now(),
): OriginGuard {
  const cache = new Map<string, { untilMs: number; origins: readonly string[] }>();
  return {
    async mayRead(origin, of) {
      if (settings.ownOrigins.includes(origin)) return true;
      if (!settings.isLive && isLoopbackOrigin(origin)) return true;
      if (!of) return false;
      const key = 'clientId' in of ? of.clientId : of.nonceSha256.toString('base64');
      const known = cache.get(key);
      if (known && known.untilMs > nowMs()) return known.origins.includes(origin);
      const origins = await findBrowserOrigins(of, ports);
      if (cache.size >= maxCached) cache.clear();
      cache.set(key, { untilMs: nowMs() + cacheMs, origins });
      return origins.includes(origin);
    },
  };
}

const allowedHeaders = 'content-type, x-checkout-session-token, x-user-id';

/** The answer to a preflight of a browser route. */
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

/** Lets the page of `origin` read this answer. */
export function allowReading(reply: FastifyReply, origin: string): void {
  reply
    .header('access-control-allow-origin', origin)
    .header('access-control-expose-headers', 'Request-Id, Retry-After');
}
