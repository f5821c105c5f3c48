// Serves the pages that people see: hosted checkout, the customer's page, the account's pages, the
// dashboard and their files, from the folder of built pages.

import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { Mode } from '@svc/contract/servers/modes';
import { reportingEndpoints } from '@svc/contract/servers/policy-reports';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { Refusal } from '../../domain/protocol/refusal.ts';
import type { Ports } from '../../engine/ports.ts';
import {
  findClientImageSources,
  findSessionParts,
} from '../../engine/steps/clients/find-page-parts.ts';
import { type Compressed, compress, sendCompressed } from '../wire/compressed.ts';

type Settings = {
  readonly pagesDir: string;
  readonly vaultOrigin: string;
  readonly providerUrl: string;
  readonly ports: Pick<Ports, 'database' | 'settings' | 'vault'>;
};

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
};

/** Returns the origin of the bank's challenge: Stripe has a host for it, the sandbox uses its own. */
function challengeOrigin(providerUrl: string): string {
  const { hostname, origin } = new URL(providerUrl);
  return hostname.endsWith('.stripe.com') ? 'https://hooks.stripe.com' : origin;
}

/** The origins that a page may frame, and the origins that may frame it. */
type Frames = { readonly shows: string; readonly shownBy: "'self'" | "'none'" };

/** The parts of the policy to which a merchant's images and the hashes of a page's own script are added. */
const images = "img-src 'self' data:";
const scripts = "script-src 'self'";

/** Returns the page's headers with more sources in one part of the policy. */
const withSources = (headers: Record<string, string>, part: string, sources: string | null) =>
  sources
    ? {
        ...headers,
        'content-security-policy':
          headers['content-security-policy']?.replace(part, `${part} ${sources}`) ?? '',
      }
    : headers;

/** Returns the hashes of the scripts in the markup, as the policy names them. CSP 3 §2.3.1. */
export const scriptHashes = (markup: string): string =>
  [...markup.matchAll(/<script>(.*?)<\/script>/gs)]
    .map(([, code = '']) => `'sha256-${createHash('sha256').update(code).digest('base64')}'`)
    .join(' ');

/** Returns the headers of a page: no foreign script runs, and only the named origins may be framed. */
const pageHeaders = ({ shows, shownBy }: Frames): Record<string, string> => ({
  'content-security-policy': [
    "default-src 'none'",
    scripts,
    "style-src 'self'",
    images,
    "font-src 'self'",
    "connect-src 'self'",
    `frame-src ${shows}`,
    "form-action 'none'",
    "base-uri 'none'",
    "object-src 'none'",
    `frame-ancestors ${shownBy}`,
    "require-trusted-types-for 'script'",
    'report-to csp',
  ].join('; '),
  'reporting-endpoints': reportingEndpoints,
  'cross-origin-opener-policy': 'same-origin-allow-popups',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
});

const load = async (path: string): Promise<Compressed> =>
  compress(types[extname(path)] ?? 'application/octet-stream', await readFile(path));

type LoadedPage = {
  readonly file: Compressed;
  readonly hashes: string;
  /** The page with the address of the card form, which its markup then opens beside the page's script. */
  withForm(formUrl: string): Promise<Compressed>;
};

/** Addresses of forms, one for each list of allowed origins, whose page is kept compressed. */
const mostForms = 200;

/** Loads a page, marked with the mode unless it is a sandbox's. */
async function loadPage(path: string, mode: Mode): Promise<LoadedPage> {
  const markup = await readFile(path, 'utf8');
  const marked = mode === 'sandbox' ? markup : markup.replace('<html', `<html data-mode="${mode}"`);
  const compressPage = (text: string) => compress('text/html; charset=utf-8', text);
  const forms = new Map<string, Promise<Compressed>>();
  return {
    file: await compressPage(marked),
    hashes: scriptHashes(markup),
    withForm(formUrl) {
      const known = forms.get(formUrl);
      if (known) return known;
      if (forms.size >= mostForms) forms.clear();
      const made = compressPage(marked.replace('<html', `<html data-form="${formUrl}"`));
      forms.set(formUrl, made);
      return made;
    },
  };
}

function serveAssets(app: FastifyInstance, pagesDir: string): void {
  const assetsDir = join(pagesDir, 'assets');
  const assets = new Map<string, Compressed>();

  // File names contain a hash of the content, so a file never changes and browsers may cache it for good.
  app.get<{ Params: { name: string } }>('/assets/:name', async (request, reply) => {
    const { name } = request.params;
    let file = assets.get(name);
    if (!file) {
      // Only names that the folder lists are read: a name is never used as a path.
      const names = await readdir(assetsDir).catch((): string[] => []);
      if (!names.includes(name)) throw new Refusal('route_not_found');
      file = await load(join(assetsDir, name));
      assets.set(name, file);
    }
    reply.header('cache-control', 'public, max-age=31536000, immutable');
    return sendCompressed(request, reply, file);
  });
}

export function servePages(app: FastifyInstance, settings: Settings): void {
  const { pagesDir, ports } = settings;
  const { mode } = ports.settings;
  serveAssets(app, pagesDir);
  const checkout = newestOf(join(pagesDir, 'checkout', 'index.html'), mode);
  const customer = newestOf(join(pagesDir, 'customer', 'index.html'), mode);
  const account = newestOf(join(pagesDir, 'account', 'index.html'), mode);
  // The page frames the card form and the bank's challenge. The checkout page itself may be framed
  // only by the service, when the bank's frame returns to it.
  const shows = `'self' ${settings.vaultOrigin} ${challengeOrigin(settings.providerUrl)}`;
  const checkoutHeaders = {
    ...pageHeaders({ shows, shownBy: "'self'" }),
    // The card form follows the page: its connection is open by then.
    link: `<${settings.vaultOrigin}>; rel=preconnect`,
  };
  const customerHeaders = pageHeaders({ shows, shownBy: "'none'" });
  const peopleHeaders = {
    ...pageHeaders({ shows: "'none'", shownBy: "'none'" }),
    // The page that opened this window gets no reference to it while access is granted.
    'cross-origin-opener-policy': 'same-origin',
  };
  app.get<{ Params: { '*': string } }>('/c/*', async (request, reply) => {
    const page = await checkout();
    if (!page) return answerNotBuilt(reply);
    const sessionId = idOf(request.params['*']);
    const parts = sessionId ? await findSessionParts(sessionId, ports) : undefined;
    const headers = withSources(checkoutHeaders, scripts, page.hashes);
    reply.headers(withSources(headers, images, parts?.imageSources ?? null));
    const file = parts?.formUrl ? await page.withForm(parts.formUrl) : page.file;
    return sendCompressed(request, reply, file);
  });
  for (const path of ['/m', '/m/:clientId']) {
    app.get<{ Params: { clientId?: string } }>(path, async (request, reply) => {
      const page = await customer();
      if (!page) return answerNotBuilt(reply);
      const clientId = idOf(request.params.clientId);
      const sources = clientId && (await findClientImageSources(clientId, ports));
      reply.headers(withSources(customerHeaders, images, sources));
      return sendCompressed(request, reply, page.file);
    });
  }
  const dashboard = newestOf(join(pagesDir, 'dashboard', 'index.html'), mode);
  for (const [base, read] of [
    ['/account', account],
    ['/dashboard', dashboard],
  ] as const) {
    for (const path of [base, `${base}/*`]) {
      app.get(path, async (request, reply) => {
        const page = await read();
        if (!page) return answerNotBuilt(reply);
        const headers = withSources(peopleHeaders, scripts, page.hashes);
        return sendCompressed(request, reply.headers(headers), page.file);
      });
    }
  }
}

/** Returns the id at the end of a page's path, in lower case; null when there is none. */
const idOf = (text: string | undefined): string | null =>
  /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?=\/?$)/i.exec(text ?? '')?.[0].toLowerCase() ??
  null;

/**
 * Returns a function that loads the page's file; it names the assets of the newest build, so a new
 * build is served without a restart.
 */
function newestOf(path: string, mode: Mode): () => Promise<LoadedPage | null> {
  let page: (LoadedPage & { readonly modifiedMs: number }) | null = null;
  return async () => {
    const modifiedMs = await stat(path).then(
      (found) => found.mtimeMs,
      () => null,
    );
    if (modifiedMs === null) page = null;
    else if (page?.modifiedMs !== modifiedMs)
      page = { ...(await loadPage(path, mode)), modifiedMs };
    return page;
  };
}

const answerNotBuilt = (reply: FastifyReply): FastifyReply =>
  reply
    .code(503)
    .header('content-type', 'text/plain; charset=utf-8')
    .send('The page is not built. Build it with: node pages/build.ts\n');
