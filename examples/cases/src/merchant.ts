// What the cases share and a shop has already: the library with the merchant's credential, one buyer,
// and routes over node:http in the style of fetch.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { basename, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { Svc } from '@svc/server';

const setting = (name: string): string => {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is missing: start this with npm run example <case>`);
  return value;
};

export const apiUrl = setting('SVC_API_URL');
const port = Number(process.env.PORT || 3000);
export const origin = `http://127.0.0.1:${port}`;
export const buyer = { userId: setting('SVC_USER_ID'), email: setting('SVC_USER_EMAIL') };
export const svc = new Svc(setting('SVC_PROVIDER_SECRET_KEY'), {
  baseUrl: apiUrl,
  clientId: setting('SVC_CLIENT_ID'),
  apiToken: setting('SVC_API_TOKEN'),
  // Remove this line to use the real card provider.
  providerBaseUrl: setting('SVC_SANDBOX_URL'),
});

export const page = (body: string): Response =>
  new Response(`<!doctype html><html lang="en"><title>Mugs</title><body>${body}</body></html>`, {
    headers: { 'content-type': 'text/html; charset=utf-8' },
  });

/** The browser library's files, which a real shop bundles: `/svc/index.js` and its neighbours. */
export const library = async ({ url }: Request): Promise<Response> => {
  const path = new URL(url).pathname.slice('/svc/'.length);
  const folder = path.startsWith('texts/') ? 'texts' : '';
  const file = join(setting('SVC_BROWSER_LIBRARY'), folder, basename(path));
  return new Response(await readFile(file), { headers: { 'content-type': 'text/javascript' } });
};

type Handler = (request: Request) => Response | Promise<Response>;

/**
 * Serves handlers by method and path, such as `GET /path`; a key that ends in `*` matches every request with
 * that prefix.
 */
export function serve(routes: Readonly<Record<string, Handler>>): void {
  const names = Object.keys(routes);
  const server = createServer(async (incoming, outgoing) => {
    const url = new URL(incoming.url ?? '/', origin);
    const asked = `${incoming.method} ${url.pathname}`;
    const name = names.find((one) =>
      one.endsWith('*') ? asked.startsWith(one.slice(0, -1)) : one === asked,
    );
    const body = incoming.method === 'POST' ? await buffer(incoming) : null;
    const headers = incoming.headers as Record<string, string>;
    const request = new Request(url, { method: incoming.method ?? 'GET', headers, body });
    const handler = name === undefined ? undefined : routes[name];
    const answer = await answerOf(handler, request);
    outgoing.writeHead(answer.status, Object.fromEntries(answer.headers));
    outgoing.end(Buffer.from(await answer.arrayBuffer()));
  });
  server.once('error', ({ code, message }: NodeJS.ErrnoException) => {
    const isTaken = code === 'EADDRINUSE';
    process.stderr.write(`${isTaken ? `Port ${port} is taken: set PORT= to another.` : message}\n`);
    process.exitCode = 1;
  });
  server.listen(port, '127.0.0.1', () => process.stdout.write(`${origin}\n`));
}

async function answerOf(handler: Handler | undefined, request: Request): Promise<Response> {
  if (!handler) return new Response('Nothing here.', { status: 404 });
  try {
    return await handler(request);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return new Response('That did not work.', { status: 500 });
  }
}
