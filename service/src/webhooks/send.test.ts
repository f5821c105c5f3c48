import { execFile } from 'node:child_process';
import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { scaled } from '@svc/tools/machine';
import { afterEach, describe, expect, it } from 'vitest';
import { aReceiver, loopback, type Receiver } from '../../test/webhooks/webhooks.ts';
import { newWebhookSecret } from '../domain/protocol/webhook-secret.ts';
import { type WebhookSettings, webhookSender } from './send.ts';

const secret = newWebhookSecret(Buffer.alloc(32, 3));
const now = new Date('2026-03-01T12:00:00Z');
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

function send(url: string, settings: Partial<WebhookSettings> = {}) {
  const sender = webhookSender({ allow: loopback, connectMs: 2000, totalMs: 3000, ...settings });
  return sender({ url, body: '{"töpfe":"☕"}', eventId: 'evt_1', secrets: [secret], now });
}

async function receiver(...given: Parameters<typeof aReceiver>): Promise<Receiver> {
  const made = await aReceiver(...given);
  closers.push(made.close);
  return made;
}

/** A server below HTTP: the test decides what it does with a socket. */
async function rawServer(onSocket: (socket: net.Socket) => void): Promise<string> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    onSocket(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

describe('a delivery', () => {
  it('is one POST of exactly these bytes, signed, and without a name on a connection of its own', async () => {
    const target = await receiver();
    const answer = await send(`${target.url}?a=b%20c`);
    expect(answer).toMatchObject({
      status: 200,
      error: null,
      excerpt: 'ok',
      retryAfterSeconds: null,
    });
    expect(answer.durationMs).toBeLessThan(scaled(2000));
    const [one] = target.received;
    expect(one?.body.toString()).toBe('{"töpfe":"☕"}');
    expect(one?.path).toBe('/hook?a=b%20c');
    expect(one?.headers).toMatchObject({
      host: `127.0.0.1:${target.port}`,
      'content-type': 'application/json; charset=utf-8',
      'content-length': '16',
      connection: 'close',
      'webhook-id': 'evt_1',
    });
    expect(one?.headers['svc-signature']).toMatch(/^t=1772366400,v1=/);
    expect(one?.headers).not.toHaveProperty('cookie');
  });

  it.each([200, 201, 202, 204, 299])('%i is a success', async (status) => {
    const target = await receiver((_, response) => response.writeHead(status).end());
    expect(await send(target.url)).toMatchObject({ status, error: null, excerpt: null });
  });

  it.each([400, 401, 404, 409, 429, 500, 502, 503])('%i is none', async (status) => {
    const target = await receiver((_, response) => response.writeHead(status).end('no'));
    expect(await send(target.url)).toMatchObject({ status, error: 'not_2xx', excerpt: 'no' });
  });

  it('410 is told apart', async () => {
    const target = await receiver((_, response) => response.writeHead(410).end());
    expect(await send(target.url)).toMatchObject({ status: 410, error: 'gone' });
  });

  it.each([300, 301, 302, 303, 304, 307, 308])('%i is not followed', async (status) => {
    const second = await receiver();
    const target = await receiver((_, response) =>
      response.writeHead(status, { location: second.url }).end(),
    );
    expect(await send(target.url)).toMatchObject({ status, error: 'redirect_refused' });
    expect(second.received).toHaveLength(0);
  });

  it('goes over IPv6 and by a localhost name, whichever family listens', async () => {
    const six = await receiver(undefined, '::1');
    expect(await send(six.url)).toMatchObject({ status: 200 });
    expect(await send(`http://shop.localhost:${six.port}/`)).toMatchObject({ status: 200 });
    const four = await receiver();
    expect(await send(`http://shop.localhost:${four.port}/`)).toMatchObject({ status: 200 });
    expect(four.received[0]?.headers.host).toBe(`shop.localhost:${four.port}`);
  });

  it('reads Retry-After as seconds or as a date by the receiver’s own clock', async () => {
    const target = await receiver(({ path }, response) => {
      const headers: Record<string, Record<string, string>> = {
        '/seconds': { 'retry-after': '120' },
        '/date': {
          date: 'Mon, 05 Jan 2099 10:00:00 GMT',
          'retry-after': 'Mon, 05 Jan 2099 10:05:00 GMT',
        },
        '/past': {
          date: 'Mon, 05 Jan 2099 10:00:00 GMT',
          'retry-after': 'Mon, 05 Jan 2099 09:00:00 GMT',
        },
        '/words': { 'retry-after': 'soon' },
        '/minus': { 'retry-after': '-5' },
        '/fraction': { 'retry-after': '3600.5' },
        '/long': { 'retry-after': '9'.repeat(400) },
        '/list': { 'retry-after': '5, 10' },
      };
      response.writeHead(429, headers[path]).end();
    });
    const readRetryAfter = async (path: string) =>
      (await send(`http://127.0.0.1:${target.port}${path}`)).retryAfterSeconds;
    expect(await readRetryAfter('/seconds')).toBe(120);
    expect(await readRetryAfter('/date')).toBe(300);
    expect(await readRetryAfter('/past')).toBe(0);
    expect(await readRetryAfter('/words')).toBeNull();
    expect(await readRetryAfter('/none')).toBeNull();
    expect(await readRetryAfter('/minus')).toBeNull();
    expect(await readRetryAfter('/fraction')).toBeNull();
    expect(await readRetryAfter('/list')).toBeNull();
    expect(await readRetryAfter('/long')).toBeGreaterThan(86_400);
  });

  it('reads a date without a zone as GMT, wherever this machine is (RFC 9110 §5.6.7)', async () => {
    const target = await receiver((_, response) => {
      const date = 'Mon, 05 Jan 2099 10:00:00 GMT';
      response.writeHead(503, { date, 'retry-after': 'Mon Jan  5 10:05:00 2099' }).end();
    });
    const { TZ } = process.env;
    process.env.TZ = 'Asia/Tokyo';
    try {
      const { retryAfterSeconds } = await send(`http://127.0.0.1:${target.port}/`);
      expect(retryAfterSeconds).toBe(300);
    } finally {
      if (TZ === undefined) delete process.env.TZ;
      else process.env.TZ = TZ;
    }
  });
});

describe('what is kept of an answer', () => {
  it('at most 200 characters without control characters', async () => {
    const text = `a\u0000b\u001b[31mc\r\nd\u202ee👩‍🍳${'☕'.repeat(500)}`;
    const target = await receiver((_, response) => response.writeHead(500).end(text));
    const { excerpt } = await send(target.url);
    expect([...(excerpt ?? '')]).toHaveLength(200);
    expect(excerpt).not.toMatch(/[\p{Cc}\u202e]/u);
    expect(excerpt?.startsWith('a b [31mc d e👩‍🍳☕')).toBe(true);
  });

  it('bytes that are no text become text', async () => {
    const target = await receiver((_, response) =>
      response.writeHead(500).end(Buffer.from([0xff, 0xfe, 0x41, 0xc3])),
    );
    expect((await send(target.url)).excerpt).toMatch(/A/);
  });

  it('an endless body ends at 16 KiB and its status counts', async () => {
    let written = 0;
    const target = await receiver((_, response) => {
      response.writeHead(200);
      const chunk = Buffer.alloc(8192, 97);
      const writeMore = () => {
        while (!response.destroyed && response.write(chunk)) written += chunk.length;
      };
      response.on('drain', writeMore);
      writeMore();
    });
    const answer = await send(target.url);
    expect(answer).toMatchObject({ status: 200, error: null });
    expect(answer.durationMs).toBeLessThan(scaled(1500));
    expect(written).toBeLessThan(50_000_000);
  });

  it('a slow body ends with the time for the whole, and its status counts', async () => {
    const target = await receiver((_, response) => {
      response.writeHead(503);
      const drip = setInterval(() => response.write('x'), 50);
      response.on('close', () => clearInterval(drip));
    });
    const answer = await send(target.url, { totalMs: 400 });
    expect(answer).toMatchObject({ status: 503, error: 'not_2xx' });
    expect(answer.excerpt).toMatch(/^x+$/);
    expect(answer.durationMs).toBeGreaterThanOrEqual(390);
    expect(answer.durationMs).toBeLessThan(scaled(1500));
  });
});

describe('an attempt without an answer', () => {
  const nothing = { status: null, excerpt: null, retryAfterSeconds: null };

  it('timeout: the receiver takes the request and is silent', async () => {
    const target = await receiver(() => undefined);
    const answer = await send(target.url, { totalMs: 300 });
    expect(answer).toMatchObject({ ...nothing, error: 'timeout' });
    expect(answer.durationMs).toBeGreaterThanOrEqual(290);
    expect(target.received).toHaveLength(1);
  });

  it('timeout: headers that drip without end', async () => {
    const url = await rawServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nX-Drip: ');
      const drip = setInterval(() => socket.write('x'), 20);
      socket.on('close', () => clearInterval(drip));
    });
    expect(await send(url, { totalMs: 400 })).toMatchObject({ ...nothing, error: 'timeout' });
  });

  it('connection_refused', async () => {
    const target = await aReceiver();
    await target.close();
    expect(await send(target.url)).toMatchObject({ ...nothing, error: 'connection_refused' });
  });

  it('connection_reset: before, during and after the request', async () => {
    const onConnect = await rawServer((socket) => socket.resetAndDestroy());
    const onRequest = await rawServer((socket) =>
      socket.on('data', () => socket.resetAndDestroy()),
    );
    const onHeaders = await rawServer((socket) =>
      socket.on('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Le')),
    );
    for (const url of [onConnect, onRequest, onHeaders]) {
      expect(await send(url)).toMatchObject({ ...nothing, error: 'connection_reset' });
    }
  });

  it('a reset after the status line leaves the status as the answer', async () => {
    const url = await rawServer((socket) =>
      socket.on('data', () => {
        socket.write('HTTP/1.1 204 No Content\r\n\r\n', () => socket.resetAndDestroy());
      }),
    );
    expect(await send(url)).toMatchObject({ status: 204, error: null });
    const partial = await rawServer((socket) =>
      socket.on('data', () => {
        socket.end('HTTP/1.1 500 No\r\nContent-Length: 100\r\n\r\nhalf');
      }),
    );
    expect(await send(partial)).toMatchObject({ status: 500, error: 'not_2xx', excerpt: 'half' });
  });

  it('bad_answer: not HTTP, or headers without end', async () => {
    const noise = await rawServer((socket) => socket.end('220 mail.example ESMTP\r\n'));
    const huge = await rawServer((socket) =>
      socket.on('data', () => socket.write(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`)),
    );
    for (const url of [noise, huge]) {
      expect(await send(url)).toMatchObject({ ...nothing, error: 'bad_answer' });
    }
  });

  it('an upgrade is no answer', async () => {
    const url = await rawServer((socket) =>
      socket.on('data', () =>
        socket.write('HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'),
      ),
    );
    expect(await send(url, { totalMs: 1500 })).toMatchObject({ ...nothing, error: 'bad_answer' });
  });

  it('connect_timeout: the handshake never ends', async () => {
    const url = await rawServer(() => undefined);
    const answer = await send(url.replace('http:', 'https:'), { connectMs: 200 });
    expect(answer).toMatchObject({ status: null, error: 'connect_timeout' });
  });

  it('dns_error, and a name server that never answers is left after the time to connect', async () => {
    const missing = await send('https://shop.example/', {
      resolve: async () => {
        throw new Error('not found');
      },
    });
    expect(missing).toMatchObject({ ...nothing, error: 'dns_error' });
    const silent = await send('https://shop.example/', {
      resolve: () => new Promise(() => undefined),
      connectMs: 200,
    });
    expect(silent).toMatchObject({ ...nothing, error: 'connect_timeout' });
    expect(silent.durationMs).toBeLessThan(scaled(1500));
  });

  it('a name that leads inside: refused without a connection', async () => {
    const target = await receiver();
    const resolve = async () => ['127.0.0.1'];
    const url = `https://shop.example:${target.port}/`;
    expect(await send(url, { allow: [], resolve })).toMatchObject({
      ...nothing,
      error: 'address_refused',
    });
    expect(await send(target.url, { allow: [] })).toMatchObject({
      ...nothing,
      error: 'address_refused',
    });
    expect(target.received).toHaveLength(0);
  });

  it('a name that changes between judging and connecting gains nothing (rebinding)', async () => {
    const good = await receiver();
    let asked = 0;
    const resolve = async () => (asked++ === 0 ? ['127.0.0.1'] : ['127.0.0.2']);
    const url = `http://rebind.example:${good.port}/`;
    const allow = ['127.0.0.1'];
    expect(await send(url, { allow, resolve })).toMatchObject({ status: 200 });
    expect(asked).toBe(1);
    expect(await send(url, { allow, resolve })).toMatchObject({ error: 'address_refused' });
    expect(good.received).toHaveLength(1);
  });

  it('a network that cannot be read is refused when the service starts', () => {
    expect(() => webhookSender({ allow: ['loopback'] })).toThrow('no network in CIDR form');
  });
});

describe('the surroundings', () => {
  it('a proxy named in the environment is not used', async () => {
    const target = await receiver();
    const proxy = await receiver((_, response) => response.writeHead(502).end());
    const program = `
      import { webhookSender } from ${JSON.stringify(new URL('./send.ts', import.meta.url).href)};
      const answer = await webhookSender({ allow: ['127.0.0.0/8'] })({
        url: ${JSON.stringify(target.url)}, body: '{}', eventId: 'evt_1', secrets: [], now: new Date(),
      });
      process.stdout.write(String(answer.status));`;
    const proxyUrl = proxy.url.replace('/hook', '');
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '-e', program],
      {
        env: {
          ...process.env,
          NODE_USE_ENV_PROXY: '1',
          HTTP_PROXY: proxyUrl,
          http_proxy: proxyUrl,
        },
      },
    );
    expect(stdout).toBe('200');
    expect(proxy.received).toHaveLength(0);
    expect(target.received).toHaveLength(1);
  });
});
