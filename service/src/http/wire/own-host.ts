// Checks that a call names this service. A page whose own host name was made to resolve to this
// service sends that name: to its browser the two are one site, so neither origin nor Fetch
// Metadata reveals it. DNS rebinding.

import { isLoopbackHost } from '@svc/contract/servers/loopback';
import type { FastifyRequest } from 'fastify';
import { Refusal } from '../../domain/protocol/refusal.ts';
import type { Ports } from '../../engine/ports.ts';
import { headerValues } from './idempotency-key.ts';

/** Returns the host name in a `Host` header, as URLs write it; undefined when it is invalid. */
function hostnameOf(host: string): string | undefined {
  if (!/^[\w.:[\]-]+$/.test(host) || !URL.canParse(`http://${host}`)) return undefined;
  return new URL(`http://${host}`).hostname;
}

/**
 * Throws cross_site_request unless the call is for the host of the base URL or, in a sandbox on
 * this machine, for any loopback name. The port may differ: the right host name with another port
 * does not belong to a stranger.
 */
export function assertOwnHost(
  rawHeaders: readonly string[],
  { baseUrl, isLive }: Pick<Ports['settings'], 'baseUrl' | 'isLive'>,
): void {
  const own = new URL(baseUrl).hostname;
  const asked = headerValues(rawHeaders, 'host').map(hostnameOf);
  const isLocal = !isLive && isLoopbackHost(own);
  const isOwnName = (name: string | undefined) =>
    name !== undefined && (name === own || (isLocal && isLoopbackHost(name)));
  if (asked.length === 1 && asked.every(isOwnName)) return;
  throw new Refusal('cross_site_request', {
    message: `This call is for ${own} only. A proxy in front passes the Host header on.`,
  });
}

/**
 * Throws cross_site_request for a page of another site: one that names this service differently,
 * has another origin, or requests across sites. Programs send neither origin nor Fetch Metadata.
 */
export function assertNoForeignPage(
  { headers, raw }: Pick<FastifyRequest, 'headers' | 'raw'>,
  settings: Pick<Ports['settings'], 'baseUrl' | 'isLive'>,
): void {
  assertOwnHost(raw.rawHeaders, settings);
  const { origin, host, 'sec-fetch-site': site } = headers;
  const isOwn = origin === undefined || origin === `${new URL(settings.baseUrl).protocol}//${host}`;
  if (isOwn && (site === undefined || site === 'same-origin' || site === 'none')) return;
  throw new Refusal('cross_site_request');
}
