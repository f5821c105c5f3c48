// Serves the reference at /docs, the guides at /guides, /openapi.json, and the start page at /.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Compressed, compress, sendCached } from '../wire/compressed.ts';
import { html } from '../wire/html.ts';
import { docsPage, wordOf } from './docs.ts';
import { docsSearch } from './docs-search.ts';
import { docsStyle } from './docs-style.ts';
import { openSite, type Site } from './guides.ts';
import { type OpenapiOptions, openApi } from './openapi.ts';

const home = ({ mode }: OpenapiOptions): string =>
  html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Svc</title><link rel="stylesheet" href="/docs/style.css"></head>
<body><main><h1>Svc</h1><p class="lead">Self-hosted payments, ${wordOf[mode]}.</p>
<ul><li><a href="/dashboard">Dashboard</a>: payments, people, API tokens, webhooks</li>
<li><a href="/account">Your account</a>: password, passkeys, sign-ins</li>
<li><a href="/guides">Guides</a>, <a href="/docs">API reference</a></li><li><a href="/openapi.json">OpenAPI 3.1</a></li>
<li><a href="/readyz">Readiness</a>, <a href="/healthz">health</a></li></ul></main></body></html>`
    .text;

const documentHeaders = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'content-type': 'text/html; charset=utf-8',
};

/** Headers of the reference: only its own search script may run, no inline script. */
const docsHeaders = {
  ...documentHeaders,
  'content-security-policy': `${documentHeaders['content-security-policy']}; script-src 'self'`,
};

/** Headers of the guides: with their pictures, and the sections that their search reads. */
const guideHeaders = {
  'content-security-policy': `${docsHeaders['content-security-policy']}; img-src 'self'; connect-src 'self'`,
};

/** The documents, each written and compressed once. */
type Documents = Readonly<Record<'openApi' | 'docs' | 'style' | 'search' | 'home', Compressed>>;

async function writeDocuments(described: OpenapiOptions): Promise<Documents> {
  const [openApiFile, docs, style, search, homeFile] = await Promise.all([
    compress('application/json; charset=utf-8', JSON.stringify(openApi(described))),
    compress(documentHeaders['content-type'], docsPage(described)),
    compress('text/css; charset=utf-8', docsStyle),
    compress('text/javascript; charset=utf-8', docsSearch),
    compress(documentHeaders['content-type'], home(described)),
  ]);
  return { openApi: openApiFile, docs, style, search, home: homeFile };
}

/** Serves the guides, each rendered and compressed at its first request. */
function serveGuides(app: FastifyInstance): void {
  let site: Site | undefined;
  const kept = new Map<string, Promise<Compressed>>();
  const read = async (path: string): Promise<Compressed> => {
    const file = await site?.read(path);
    if (!file) throw new Error(`the guides list ${path} and have it not`);
    return compress(file.type, file.content);
  };
  const send = async (request: FastifyRequest, reply: FastifyReply) => {
    site ??= openSite();
    const path = request.url.split('?')[0]?.replace(/\/$/, '') ?? '';
    if (!site.paths.includes(path)) {
      return reply
        .code(404)
        .headers({ ...documentHeaders, ...guideHeaders })
        .send(site.missing);
    }
    const sent = kept.get(path) ?? read(path);
    kept.set(path, sent);
    // The next request reads again.
    sent.catch(() => kept.delete(path));
    return sendCached(request, reply.headers(guideHeaders), await sent);
  };
  app.get('/guides', send);
  app.get('/guides/*', send);
}

/** Serves the documents. The returned function writes them in advance; otherwise the first request does. */
export function serveDocs(app: FastifyInstance, described: OpenapiOptions): () => Promise<void> {
  let written: Promise<Documents> | undefined;
  const documents = () => {
    written ??= writeDocuments(described);
    return written;
  };
  app.get('/openapi.json', async (request, reply) =>
    sendCached(request, reply, (await documents()).openApi),
  );
  app.get('/docs', async (request, reply) =>
    sendCached(request, reply.headers(docsHeaders), (await documents()).docs),
  );
  app.get('/docs/style.css', async (request, reply) =>
    sendCached(request, reply, (await documents()).style),
  );
  app.get('/docs/search.js', async (request, reply) =>
    sendCached(request, reply, (await documents()).search),
  );
  serveGuides(app);
  app.get('/', async (request, reply) =>
    sendCached(request, reply.headers(documentHeaders), (await documents()).home),
  );
  return async () => void (await documents());
}
