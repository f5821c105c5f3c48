// Serves the replacement of the provider's browser library under the real library's paths, and the frames
// of its fields.
import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { sources } from './sources.ts';

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

const expressStyle = `
* { box-sizing: border-box }
html, body { margin: 0; background: transparent }
body { display: grid; gap: 8px; font: 16px/1.4 system-ui, sans-serif }
p, label { margin: 0; color: #3b4256 }
label { display: flex; gap: 8px; align-items: center; min-height: 24px }
input { width: 20px; height: 20px; margin: 0 }
p[hidden] { display: none }
button { min-height: 48px; border: 0; border-radius: 8px; background: #101014; color: #fff; font: inherit }
button:focus-visible { outline: 3px solid #5b6cff; outline-offset: -3px }
.white p, .white label { color: #d8dce6 }
.white button { background: #fff; color: #101014 }
button.link, .white button.link { background: #00d66f; color: #011e0f }`;

const expressDocument = `<!doctype html><html lang="en"><head><meta charset="utf-8">
<title>Express buttons of the sandbox</title><style>${expressStyle}</style></head>
<body><script type="module" src="/stand-in/stripe-js/express.ts"></script></body></html>`;

const sha256 = (text: string) => createHash('sha256').update(text).digest('base64');

const policyOf = (sheet: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'sha256-${sha256(sheet)}'`,
    "connect-src 'self'",
    "base-uri 'none'",
  ].join('; ');

const sendText = (reply: FastifyReply, type: string, body: string) =>
  reply
    .type(`${type}; charset=utf-8`)
    .header('cache-control', 'no-store')
    .header('x-content-type-options', 'nosniff')
    .send(body);

/** `/v3/`, `/v3/stripe.js` and `/<release>/stripe.js`, the paths of the provider's scripts. */
export const registerStripeJs = (app: FastifyInstance): void => {
  // A scope of its own, as the real script has one: a page may use each of its names.
  const parts = [sources['stripe-js/express-element.ts'], sources['stripe-js/stand-in.ts']]
    .map((part) => part.replaceAll(/^import .*$|^export (?=class)/gm, ''))
    .join('\n');
  const script = `(() => {\n'use strict';\n${parts}\n})();\n`;
  const modules: Readonly<Record<string, string>> = {
    'stripe-js/express.ts': sources['stripe-js/express.ts'],
    'stripe-js/field.ts': sources['stripe-js/field.ts'],
    'cards/card-digits.ts': sources['cards/card-digits.ts'],
  };
  for (const path of ['/v3', '/v3/', '/v3/stripe.js', '/:release(^[a-z]+$)/stripe.js']) {
    app.get(path, (_request, reply) => sendText(reply, 'text/javascript', script));
  }
  for (const [path, body] of Object.entries(modules)) {
    app.get(`/stand-in/${path}`, (_request, reply) => sendText(reply, 'text/javascript', body));
  }
  app.get('/stand-in/field.html', (_request, reply) =>
    sendText(reply.header('content-security-policy', policyOf(style)), 'text/html', document),
  );
  app.get('/stand-in/express.html', (_request, reply) =>
    sendText(
      reply.header('content-security-policy', policyOf(expressStyle)),
      'text/html',
      expressDocument,
    ),
  );
};
