// Signature checks with the real web frameworks. Contract §7, Signature.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { Svc } from './index.ts';

const svc = new Svc('sk_1', { logger: { error: () => undefined } });
const secret = 'svc_whsec_dGVzdA==';
// Text beyond ASCII, a number that may change when it is serialised again, and unsorted keys.
const payload = JSON.stringify({
  id: 'evt_1',
  type: 'item.purchased',
  data: { object: { note: 'Zwölf ☕ \u2028 "', amount: 19.9, z: 1, a: [null, 1e21], '2': 1 } },
});
const sign = (body = payload) => ({
  'content-type': 'application/json',
  'svc-signature': svc.webhooks.generateTestHeader({ payload: body, secret }),
});

async function sendRequest(
  listener: Parameters<typeof createServer>[1],
  init: RequestInit,
  path = '/hooks',
) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
    const answer = await fetch(url, { method: 'POST', ...init });
    return { status: answer.status, body: (await answer.json()) as { message?: string } };
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

/** A body parser that changes the parsed body, as a reviver does. */
const changing = express.json({ reviver: (_, value) => (value === 19.9 ? '19.90' : value) });
const keeping = express.json({
  verify: (request, _, bytes) => {
    (request as { rawBody?: Uint8Array }).rawBody = bytes;
  },
  reviver: (_, value) => (value === 19.9 ? '19.90' : value),
});

describe('toExpressHandler', () => {
  const listen = (...before: express.RequestHandler[]) => {
    const seen: unknown[] = [];
    const app = express();
    for (const one of before) app.use(one);
    app.post(
      '/hooks',
      svc.webhooks.toExpressHandler((event) => void seen.push(event), secret),
    );
    return { app, seen };
  };

  it.each<[string, express.RequestHandler[]]>([
    ['nothing before it', []],
    ['express.raw before it', [express.raw({ type: '*/*' })]],
    ['express.text before it', [express.text({ type: '*/*' })]],
    ['express.json before it', [express.json()]],
    ['a parser that keeps the bytes', [keeping]],
    [
      'the empty object of Express 4',
      [
        (request, _, next) => {
          request.body = {};
          next();
        },
      ],
    ],
  ])('takes the raw body: %s', async (_, before) => {
    const { app, seen } = listen(...before);
    const { status } = await sendRequest(app, { body: payload, headers: sign() });
    expect(status).toBe(200);
    expect(seen).toEqual([JSON.parse(payload)]);
    const forged = payload.replace('evt_1', 'evt_2');
    expect((await sendRequest(app, { body: forged, headers: sign() })).status).toBe(400);
    expect(seen).toHaveLength(1);
  });

  it('a parser that changed the body is named, with the fix', async () => {
    const { app, seen } = listen(changing);
    const { status, body } = await sendRequest(app, { body: payload, headers: sign() });
    expect([status, seen]).toEqual([400, []]);
    expect(body.message).toMatch(/before express\.json\(\).*verify:/);
  });

  it('what was taken for another secret’s body is not taken', async () => {
    const { app, seen } = listen(express.json());
    const header = svc.webhooks.generateTestHeader({ payload, secret: 'svc_whsec_b3RoZXI=' });
    const headers = { ...sign(), 'svc-signature': header };
    expect((await sendRequest(app, { body: payload, headers })).status).toBe(400);
    expect(seen).toEqual([]);
  });

  it('500 when the handler throws, and the application’s own error pages stay out of it', async () => {
    const app = express();
    app.use(express.json());
    app.post(
      '/hooks',
      svc.webhooks.toExpressHandler(() => Promise.reject(new Error('secret')), secret),
    );
    const { status, body } = await sendRequest(app, { body: payload, headers: sign() });
    expect([status, body]).toMatchObject([500, { code: 'HandlerFailed' }]);
    expect(JSON.stringify(body)).not.toContain('secret');
  });
});

describe('toFastifyPlugin', () => {
  const serve = async (handler: (event: { id: string }) => unknown, parser?: 'own' | 'reviver') => {
    const app = fastify();
    if (parser) {
      app.removeContentTypeParser('application/json');
      app.addContentTypeParser('application/json', { parseAs: 'string' }, (_, body, done) => {
        done(null, { parsed: parser === 'own' ? JSON.parse(String(body)) : 'changed' });
      });
    }
    app.post('/other', async (request) => request.body);
    await app.register(svc.webhooks.toFastifyPlugin(handler, secret, { path: '/hooks' }));
    return app;
  };
  const send = (app: Awaited<ReturnType<typeof serve>>, body: string, url = '/hooks') =>
    app.inject({ method: 'POST', url, payload: body, headers: sign() });

  it.each(['own', 'reviver', undefined] as const)(
    'takes the raw body whatever parser the server has, and leaves that in place: %s',
    async (parser) => {
      const seen: string[] = [];
      await using app = await serve(({ id }) => void seen.push(id), parser);
      expect((await send(app, payload)).statusCode).toBe(200);
      expect((await send(app, payload.replace('evt_1', 'evt_2'))).statusCode).toBe(400);
      expect(seen).toEqual(['evt_1']);
      const other = (await send(app, payload, '/other')).json();
      expect(parser ? Object.keys(other) : other.id).toEqual(parser ? ['parsed'] : 'evt_1');
    },
  );

  it('500 when the handler throws, 413 for what is no event, 404 for other methods', async () => {
    await using app = await serve(() => Promise.reject(new Error('secret')));
    const failed = await send(app, payload);
    expect([failed.statusCode, failed.json()]).toMatchObject([500, { code: 'HandlerFailed' }]);
    expect((await send(app, 'x'.repeat(1_100_000))).statusCode).toBe(413);
    expect((await app.inject({ method: 'GET', url: '/hooks' })).statusCode).toBe(404);
  });

  it('takes a body whatever its content type says', async () => {
    await using app = await serve(() => undefined);
    const headers = { ...sign(), 'content-type': 'application/cloudevents+json' };
    const answer = await app.inject({ method: 'POST', url: '/hooks', payload, headers });
    expect(answer.statusCode).toBe(200);
  });
});
