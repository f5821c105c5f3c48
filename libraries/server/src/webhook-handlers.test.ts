import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Svc } from './index.ts';
import type { NodeRequest } from './webhook-handlers.ts';

const svc = new Svc('sk_1');
const secret = 'svc_whsec_dGVzdA==';
const payload = '{"id":"evt_1","type":"item.purchased","data":{"object":{}}}';
const sign = (body = payload) => ({
  'svc-signature': svc.webhooks.generateTestHeader({ payload: body, secret }),
});

async function serve(handler: ReturnType<typeof svc.webhooks.toNodeHandler>) {
  const server = createServer((request, response) => void handler(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    send: (init: RequestInit) => fetch(url, { method: 'POST', ...init }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const printed: unknown[][] = [];
beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation((...line) => void printed.push(line));
});
afterEach(() => {
  vi.restoreAllMocks();
  printed.length = 0;
});

describe('toNodeHandler', () => {
  it('200 after the handler ended; 400 forged; 405 not POST; 413 too large', async () => {
    const seen: string[] = [];
    await using server = await serve(
      svc.webhooks.toNodeHandler((event) => void seen.push(event.id), secret),
    );
    const taken = await server.send({ body: payload, headers: sign() });
    expect([taken.status, await taken.json()]).toEqual([200, { received: true }]);
    const forged = await server.send({ body: payload.replace('evt_1', 'evt_2'), headers: sign() });
    expect([forged.status, await forged.json()]).toEqual([
      400,
      {
        code: 'SignatureVerificationFailed',
        message: expect.stringMatching(/No signature matches/),
      },
    ]);
    expect((await server.send({ body: payload })).status).toBe(400);
    const got = await server.send({ method: 'GET' });
    expect([got.status, got.headers.get('allow')]).toEqual([405, 'POST']);
    expect((await server.send({ body: 'x'.repeat(1_100_000), headers: sign() })).status).toBe(413);
    expect(seen).toEqual(['evt_1']);
  });

  it('500 when the handler throws, without its message, and tells onError', async () => {
    const errors: unknown[] = [];
    const boom = new Error('password of the database');
    const handler = svc.webhooks.toNodeHandler(() => Promise.reject(boom), secret, {
      onError: (error) => void errors.push(error),
    });
    await using server = await serve(handler);
    const answer = await server.send({ body: payload, headers: sign() });
    expect([answer.status, await answer.text()]).toEqual([
      500,
      expect.not.stringContaining('password'),
    ]);
    expect(errors).toEqual([boom]);
    expect(printed).toEqual([]);
  });

  it('leaves the answer that somebody else gave meanwhile, as where a time limit of the server ran out', async () => {
    let ended: Promise<void> | undefined;
    await using server = await serve((request, response) => {
      const answerLate = () => {
        response.statusCode = 503;
        response.end('late');
      };
      ended = svc.webhooks.toNodeHandler(answerLate, secret)(request, response);
      return ended.catch(() => undefined);
    });
    const answer = await server.send({ body: payload, headers: sign() });
    expect([answer.status, await answer.text()]).toEqual([503, 'late']);
    await expect(ended).resolves.toBeUndefined();
  });

  it('without onError and logger, prints what the handler threw, and refusals in a line', async () => {
    const boom = new Error('planted');
    const handler = svc.webhooks.toNodeHandler(() => Promise.reject(boom), secret);
    await using server = await serve(handler);
    await server.send({ body: payload, headers: sign() });
    expect(printed).toEqual([['svc webhook failed:', boom]]);
    await server.send({ body: payload, headers: sign('{}') });
    await server.send({ body: 'x'.repeat(1_100_000), headers: sign() });
    expect(printed.slice(1)).toEqual([
      [expect.stringMatching(/^svc webhook refused: No signature matches.*$/)],
      ['svc webhook refused: The body is over 1 MiB.'],
    ]);
  });

  it('a logger with `error` is told in place of the console; one without it is no place', async () => {
    const lines: unknown[] = [];
    const telling = new Svc('sk_1', { logger: { error: (...line) => void lines.push(line) } });
    const dumb = new Svc('sk_1', { logger: { warn: () => undefined } });
    const boom = new Error('planted');
    for (const { webhooks } of [telling, dumb]) {
      await using server = await serve(webhooks.toNodeHandler(() => Promise.reject(boom), secret));
      await server.send({ body: payload, headers: sign() });
    }
    expect(lines).toEqual([['a webhook was not taken', { message: 'planted' }]]);
    expect(printed).toEqual([['svc webhook failed:', boom]]);
  });

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('onError broke');
      },
    ],
    ['rejects', () => Promise.reject(new Error('onError broke'))],
  ])('an onError that %s changes no answer, and is printed', async (_, onError) => {
    const fail = () => Promise.reject(new Error('planted'));
    const handler = svc.webhooks.toNodeHandler(fail, secret, { onError });
    await using server = await serve(handler);
    expect((await server.send({ body: payload, headers: sign() })).status).toBe(500);
    await expect.poll(() => printed).toHaveLength(1);
    expect(printed[0]?.[1]).toEqual(new Error('onError broke'));
  });

  it.each<[string, object, number]>([
    ['body as bytes', { body: Buffer.from(payload) }, 200],
    [
      'rawBody beside a parsed body',
      { rawBody: Buffer.from(payload), body: JSON.parse(payload) },
      200,
    ],
    ['a parsed body alone', { body: JSON.parse(payload) }, 400],
  ])('takes what a framework left: %s', async (_, left, status) => {
    const answer = {
      statusCode: 0,
      text: '',
      setHeader() {},
      end(text = '') {
        this.text = text;
      },
    };
    const request = { method: 'POST', headers: sign(), ...left } as unknown as NodeRequest;
    await svc.webhooks.toNodeHandler(() => undefined, secret)(request, answer);
    expect(answer.statusCode).toBe(status);
    if (status === 400) expect(answer.text).toMatch(/express\.raw/);
  });

  it('refuses a wrong secret when it is made, not at the first delivery', () => {
    expect(() => svc.webhooks.toNodeHandler(() => undefined, 'secret')).toThrow(/svc_whsec_/);
  });
});

describe('toFetchHandler', () => {
  const buildRequest = (init: RequestInit) =>
    new Request('http://shop.example.com/webhooks', { method: 'POST', ...init });

  it('200, 400 and 405 as the node handler; a body that was read names the fix', async () => {
    const seen: string[] = [];
    const handler = svc.webhooks.toFetchHandler((event) => void seen.push(event.type), secret);
    expect((await handler(buildRequest({ body: payload, headers: sign() }))).status).toBe(200);
    expect((await handler(buildRequest({ body: `${payload} `, headers: sign() }))).status).toBe(
      400,
    );
    expect((await handler(buildRequest({ method: 'GET' }))).status).toBe(405);
    const read = buildRequest({ body: payload, headers: sign() });
    await read.text();
    const answer = await handler(read);
    expect([answer.status, await answer.text()]).toEqual([
      400,
      expect.stringMatching(/already read/),
    ]);
    expect(seen).toEqual(['item.purchased']);
  });

  it('reads the header of the card provider for a whsec_ secret', async () => {
    const provider = 'whsec_provider';
    const header = svc.webhooks.generateTestHeader({ payload, secret: provider });
    const handler = svc.webhooks.toFetchHandler(() => undefined, provider);
    expect(
      (await handler(buildRequest({ body: payload, headers: { 'stripe-signature': header } })))
        .status,
    ).toBe(200);
    expect(
      (await handler(buildRequest({ body: payload, headers: { 'svc-signature': header } }))).status,
    ).toBe(400);
  });
});
