// Serves the replacement of the provider's browser library under the real library's paths, and the frames
// of its fields. Node strips the types, so there is no build.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import type { FastifyInstance, FastifyReply } from 'fastify';

const source = (path: string) =>
  withoutWarning(() =>
    stripTypeScriptTypes(readFileSync(join(import.meta.dirname, '..', path), 'utf8')),
  );

/**
 * Node prints a warning that stripping types is experimental, which does not help anybody who starts a
 * sandbox.
 */
function withoutWarning<T>(run: () => T): T {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return run();
  } finally {
    process.emitWarning = emitWarning;
  }
}

const style = `
* { box-sizing: border-box }
html, body { margin: 0; background: transparent; overflow: hidden }
input { display: block; width: 100%; height: 1.2em; margin: 0; padding: 0; border: 0; outline: 0;
  background: transparent; font: 16px/1.2 system-ui, sans-serif; line-height: 1.2 }
input::placeholder { color: var(--faint, #8790a3); opacity: 1 }
[dir=rtl] input { direction: ltr; text-align: right }`;

const document = `<!doctype html><html lang="en"><head><meta charset="utf-8">
<title>Card field of the sandbox</title><style>${style}</style></head>
<body><input type="text" inputmode="numeric" autocorrect="off" autocapitalize="none" spellcheck="false">
<script type="module" src="/stand-in/stripe-js/field.ts"></script></body></html>`;

const sha256 = (text: string) => createHash('sha256').update(text).digest('base64');

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  `style-src 'sha256-${sha256(style)}'`,
  "connect-src 'self'",
  "base-uri 'none'",
].join('; ');

const show = (reply: FastifyReply, type: string, body: string) =>
  reply
    .type(`${type}; charset=utf-8`)
    .header('cache-control', 'no-store')
    .header('x-content-type-options', 'nosniff')
    .send(body);

/** `/v3/`, `/v3/stripe.js` and `/<release>/stripe.js`, the paths of the provider's scripts. */
export const registerStripeJs = (app: FastifyInstance): void => {
  // Wrapped in a scope of its own, as the real script is: a page may use each of its names.
  const script = `(() => {\n'use strict';\n${source('stripe-js/stand-in.ts')}\n})();\n`;
  const modules: Readonly<Record<string, string>> = {
    'stripe-js/field.ts': source('stripe-js/field.ts'),
    'card-digits.ts': source('card-digits.ts'),
  };
  for (const path of ['/v3', '/v3/', '/v3/stripe.js', '/:release(^[a-z]+$)/stripe.js']) {
    app.get(path, (_request, reply) => show(reply, 'text/javascript', script));
  }
  for (const [path, body] of Object.entries(modules)) {
    app.get(`/stand-in/${path}`, (_request, reply) => show(reply, 'text/javascript', body));
  }
  app.get('/stand-in/field.html', (_request, reply) =>
    show(reply.header('content-security-policy', policy), 'text/html', document),
  );
};
