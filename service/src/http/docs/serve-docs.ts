// Serves the reference at /docs with its guides, /openapi.json, and the start page at /.

import type { FastifyInstance } from 'fastify';
import { refuse } from '../../engine/implement.ts';
import { type Compressed, compress, sendCached } from '../wire/compressed.ts';
import { html } from '../wire/html.ts';
import { docsPage, wordOf } from './docs.ts';
import { openGuides } from './docs-guides.ts';
import { docsSearch } from './docs-search.ts';
import { docsStyle } from './docs-style.ts';
import { type OpenapiOptions, openApi } from './openapi.ts';

const home = ({ mode }: OpenapiOptions): string =>
  html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Svc</title><link rel="stylesheet" href="/docs/style.css"></head>
<body><main><h1>Svc</h1><p class="lead">Self-hosted payments, ${wordOf[mode]}.</p>
<ul><li><a href="/dashboard">Dashboard</a>: payments, people, API tokens, webhooks</li>
<li><a href="/account">Your account</a>: password, passkeys, sign-ins</li>
<li><a href="/docs">API reference</a></li><li><a href="/openapi.json">OpenAPI 3.1</a></li>
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
  const guides = openGuides();
  app.get<{ Params: { file: string } }>('/docs/guides/:file', async (request, reply) => {
    const guide = await guides(request.params.file.replace(/\.md$/, ''));
    return guide ? sendCached(request, reply, guide) : refuse('route_not_found');
  });
  app.get('/', async (request, reply) =>
    sendCached(request, reply.headers(documentHeaders), (await documents()).home),
  );
  return async () => void (await documents());
}
