// Requests that no client library sends, byte for byte over a socket.

import http from 'node:http';
import net from 'node:net';
import { promisify } from 'node:util';
import { Hold } from '@svc/contract/servers/sockets';
import { scaled } from '@svc/tools/machine';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EchoWorld, echoWorld } from '../../test/echo.ts';
import { newId } from '../../test/harness.ts';
import { contractLimits } from './limits/limits.ts';
import { answerBrokenRequest, Bindings } from './listen.ts';
import { openLog } from './wire/log.ts';

const answering = { baseUrl: 'http://localhost:4000', log: openLog('silent', process.stderr) };
const unlimited = { most: 1000, mostOfAddress: null };
/** Open requests of an address; it may have 16 more sockets. */
const openPerAddress = 8;
let world: EchoWorld;
let port: number;
beforeAll(async () => {
  world = await echoWorld({ limits: { ...contractLimits, openPerAddress } });
  port = await world.server.listen('localhost', 0);
});
afterAll(() => world.close());

/**
 * Returns everything that the server sends until it closes the connection or falls silent after its
 * response. A slow machine may take its time to respond, but it sends the whole response.
 */
function sendText(text: string | Buffer, host = '127.0.0.1', to = port): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(to, host, () => socket.write(text));
    const parts: Buffer[] = [];
    const end = () => {
      socket.destroy();
      resolve(Buffer.concat(parts).toString('latin1'));
    };
    socket.setTimeout(15_000, end);
    socket
      .on('data', (part) => {
        parts.push(part);
        socket.setTimeout(400);
      })
      .on('end', end)
      .on('error', reject);
  });
}

/** Opens a connection whose client never ends its side. */
function holdConnection(text: string, host = '127.0.0.1', to = port): net.Socket {
  const socket = net.connect({ port: to, host, localAddress: '127.0.0.1', allowHalfOpen: true });
  socket.on('error', () => undefined).write(text);
  return socket;
}

/**
 * Returns the milliseconds from the response to the end of a connection whose client continues to
 * send.
 */
async function msUntilEnd(text: string, host = '127.0.0.1', to = port): Promise<number> {
  const socket = holdConnection(text, host, to);
  await new Promise((resolve) => socket.once('data', resolve));
  const from = performance.now();
  // Sent to a socket that is destroyed, a byte is answered with a reset.
  await expect.poll(() => socket.closed || !socket.write('x')).toBe(true);
  return performance.now() - from;
}

const status = (answer: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);
const code = (answer: string): string | undefined => /"code":"(\w+)"/.exec(answer)?.[1];

const lines = (...all: string[]): string => `${all.join('\r\n')}\r\n`;
const putRequest = (headers: string[], body = '{}', length: number | string = body.length) =>
  `${lines(
    `PUT /v1/keyed/${newId()} HTTP/1.1`,
    'Host: localhost',
    'Connection: close',
    `Authorization: ${world.token.authorization}`,
    'Content-Type: application/json',
    `Content-Length: ${length}`,
    ...headers,
  )}\r\n${body}`;

describe('repeated headers', () => {
  it('400 idempotency_key_invalid, before any look-up', async () => {
    const answer = await sendText(putRequest(['Idempotency-Key: a', 'idempotency-key: a']));
    expect([status(answer), code(answer)]).toEqual([400, 'idempotency_key_invalid']);
    expect(code(await sendText(putRequest(['Idempotency-Key: a', 'Idempotency-Key: '])))).toBe(
      'idempotency_key_invalid',
    );
    expect(status(await sendText(putRequest(['Idempotency-Key: a'])))).toBe(200);
  });

  it('401 with two Authorization headers, even equal ones', async () => {
    const answer = await sendText(putRequest([`Authorization: ${world.token.authorization}`]));
    expect([status(answer), code(answer)]).toEqual([401, 'authentication_required']);
  });
});

describe('broken framing', () => {
  it.each([
    ['two lengths', ['Content-Length: 3']],
    ['length and chunks', ['Transfer-Encoding: chunked']],
    ['an unknown coding', ['Transfer-Encoding: gzip, chunked, x']],
    ['a space before the colon', ['X-A : b']],
    ['a folded header', ['X-A: b\r\n c']],
    ['a NUL', ['X-A: a\0b']],
  ])('400 and the connection ends: %s', async (_, headers) => {
    const answer = await sendText(putRequest(['Idempotency-Key: a', ...headers]));
    expect(status(answer)).toBe(400);
    expect(code(answer)).toBe('invalid_request');
    expect(answer).toMatch(/connection: close/i);
    const requestId = /request-id: (req_\w+)/i.exec(answer)?.[1];
    expect(world.server.logged.filter((line) => line.requestId === requestId)).toMatchObject([
      { msg: 'request refused', status: 400, address: expect.stringContaining('127.0.0.1') },
    ]);
  });

  it('a length that is no number, negative, or too large', async () => {
    expect(status(await sendText(putRequest(['Idempotency-Key: a'], '{}', 'x')))).toBe(400);
    expect(status(await sendText(putRequest(['Idempotency-Key: a'], '{}', '-1')))).toBe(400);
    expect(code(await sendText(putRequest(['Idempotency-Key: a'], '{}', 10_000_000)))).toBe(
      'body_too_large',
    );
  });

  it('what follows a request and is none ends the connection, and never passes for its answer', async () => {
    const text = putRequest(['Idempotency-Key: a'], '{}garbage', 2);
    const answer = await sendText(text.replace('Connection: close', 'Connection: keep-alive'));
    expect(answer).not.toContain('HTTP/1.1 400');
  });

  it('chunks over 64 kB are cut off', async () => {
    const chunk = `2000\r\n${' '.repeat(0x2000)}\r\n`;
    const text = putRequest(['Idempotency-Key: a', 'Transfer-Encoding: chunked'], '').replace(
      /Content-Length: 0\r\n/,
      '',
    );
    const answer = await sendText(`${text + chunk.repeat(9)}0\r\n\r\n`);
    expect(code(answer)).toBe('body_too_large');
  });

  it('not HTTP at all', async () => {
    expect(code(await sendText('\x16\x03\x01\x02\x00\x01\x00'))).toBe('invalid_request');
    expect(status(await sendText('GET / HTTP/9.9\r\n\r\n'))).toBe(400);
    expect(status(await sendText('GET /healthz HTTP/1.1\r\n\r\n'))).toBe(400);
    expect(status(await sendText(lines('GET /healthz HTTP/1.1', 'Host: a', 'Host: b', '')))).toBe(
      400,
    );
  });

  it('431 over 16 kB of headers', async () => {
    const answer = await sendText(putRequest([`X-Big: ${'a'.repeat(17_000)}`]));
    expect([status(answer), code(answer)]).toEqual([431, 'invalid_request']);
  });
});

describe('methods', () => {
  it.each(['TRACE', 'PROPFIND', 'PATCH', 'DELETE'])('405 with Allow: %s', async (method) => {
    const answer = await sendText(
      lines(`${method} /v1/echo HTTP/1.1`, 'Host: x', 'Connection: close', ''),
    );
    expect([status(answer), code(answer)]).toEqual([405, 'method_not_allowed']);
    expect(answer).toMatch(/allow: POST\r\n/i);
  });

  it('CONNECT and upgrades open no tunnel', async () => {
    expect(status(await sendText(lines('CONNECT x:443 HTTP/1.1', 'Host: x', '')))).not.toBe(200);
    const upgrade = lines(
      'GET /healthz HTTP/1.1',
      'Host: x',
      'Connection: Upgrade',
      'Upgrade: websocket',
      '',
    );
    expect(status(await sendText(upgrade))).toBe(200);
  });

  it('HEAD answers as GET, without a body', async () => {
    const answer = await sendText(
      lines('HEAD /healthz HTTP/1.1', 'Host: x', 'Connection: close', ''),
    );
    expect(status(answer)).toBe(200);
    expect(answer.endsWith('\r\n\r\n')).toBe(true);
  });
});

describe('connections', () => {
  it.runIf(process.platform === 'linux')(
    'every address that is listened on has the same limits',
    async () => {
      const other = await echoWorld();
      const limits = { most: 1000, mostOfAddress: 3, stallMs: 300 };
      const bindings = new Bindings(other.server.app, answering, limits);
      const otherPort = await bindings.listenOn(['127.0.0.1', '127.0.0.2'], 0);
      for (const host of ['127.0.0.1', '127.0.0.2']) {
        const big = putRequest([`X-Big: ${'a'.repeat(17_000)}`]);
        expect(status(await sendText(big, host, otherPort))).toBe(431);
        const plain = lines('GET /healthz HTTP/1.1', 'Host: x', 'Connection: close', '');
        expect(status(await sendText(plain, host, otherPort))).toBe(200);
        expect(await msUntilEnd('garbage\r\n\r\n', host, otherPort)).toBeLessThan(scaled(1000));
        const unread = lines('GET /openapi.json HTTP/1.1', 'Host: x', '').repeat(20);
        const reader = holdConnection(unread, host, otherPort).pause();
        await expect.poll(() => reader.closed || !reader.write('x')).toBe(true);
      }
      const held = ['127.0.0.1', '127.0.0.2', '127.0.0.1', '127.0.0.2'].map((host) =>
        holdConnection('GET / HTTP/1.1\r\nHo', host, otherPort),
      );
      await expect.poll(() => held.filter(({ closed }) => closed).length).toBe(1);
      for (const socket of held) socket.destroy();
      await bindings.end(new Hold(), 0, 0);
      await other.close();
    },
  );

  it('an address has 16 sockets more than open requests, whatever comes on them; told once', async () => {
    const listWarnings = () =>
      world.server.logged.filter(({ msg }) => String(msg).includes('too many open sockets'));
    const held = Array.from({ length: openPerAddress + 18 }, () =>
      holdConnection('GET / HTTP/1.1\r\nHo'),
    );
    await expect.poll(() => held.filter(({ closed }) => closed).length).toBe(2);
    expect(listWarnings()).toHaveLength(1);
    for (const socket of held) socket.destroy();
    await expect
      .poll(async () => status(await sendText('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')))
      .toBe(200);
  });

  it('a taken port is an error, on the second address too', async () => {
    const other = await echoWorld();
    const bindings = new Bindings(other.server.app, answering, unlimited);
    await expect(bindings.listenOn(['127.0.0.1'], port)).rejects.toThrow(/EADDRINUSE/);
    await other.close();
  });

  it('a head that does not end in time gets 408; a connection that was never used, not a word', async () => {
    const times = { headersTimeout: 200, requestTimeout: 400, connectionsCheckingInterval: 50 };
    const impatient = http.createServer(times).on('clientError', (error, socket) => {
      answerBrokenRequest(error, socket as net.Socket, answering);
    });
    await new Promise<void>((resolve) => impatient.listen(0, '127.0.0.1', resolve));
    const to = (impatient.address() as net.AddressInfo).port;
    const [half = '', nothing] = await Promise.all(
      ['GET / HTTP/1.1\r\nHost: x\r\n', ''].map((text) => sendText(text, '127.0.0.1', to)),
    );
    expect([status(half), code(half)]).toEqual([408, 'invalid_request']);
    expect(nothing).toBe('');
    const half408 = msUntilEnd('GET / HTTP/1.1\r\nHost: x\r\n', '127.0.0.1', to);
    expect(await half408).toBeLessThan(scaled(1000));
    await new Promise((resolve) => impatient.close(resolve));
  });

  it.each([
    ['no HTTP', '\x16\x03\x01\x02\x00\x01\x00\r\n\r\n'],
    ['an unknown version', 'GET / HTTP/9.9\r\n\r\n'],
    ['too large a head', `GET / HTTP/1.1\r\nHost: x\r\nX-Big: ${'a'.repeat(17_000)}\r\n\r\n`],
  ])('ends within a second though the client does not end it: %s', async (_, text) => {
    expect(await msUntilEnd(text)).toBeLessThan(scaled(1000));
  });

  it('a caller who hangs up does not cancel the operation', async () => {
    const socket = net.connect(port, '127.0.0.1');
    const before = world.finished.length;
    socket.write(
      lines('POST /v1/slow HTTP/1.1', 'Host: x', `Authorization: ${world.token.authorization}`, ''),
    );
    await expect.poll(() => world.started.length).toBeGreaterThan(before);
    socket.destroy();
    await expect.poll(() => world.finished.length).toBe(before + 1);
  });

  it('whoever hangs up is no longer in flight', async () => {
    const over = Promise.withResolvers<void>();
    const other = await echoWorld({ maxInFlight: 1, slowly: () => over.promise });
    const otherPort = await other.server.listen('127.0.0.1', 0);
    const hangUp = new AbortController();
    const running = fetch(`http://127.0.0.1:${otherPort}/v1/slow`, {
      method: 'POST',
      headers: { authorization: other.token.authorization },
      signal: hangUp.signal,
    });
    await expect.poll(() => other.started.length).toBe(1);
    expect((await other.call('POST', '/v1/echo', {})).statusCode).toBe(503);
    hangUp.abort();
    await expect(running).rejects.toThrow();
    await expect.poll(async () => (await other.call('POST', '/v1/echo', {})).statusCode).toBe(200);
    // Its operation ran all the while.
    expect(other.finished).toEqual([]);
    over.resolve();
    await other.close();
  });

  it('whoever hangs up while the credential is read never was in flight', async () => {
    const asked = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    const signalAsked = () => {
      asked.resolve();
      return answered.promise;
    };
    const other = await echoWorld({ maxInFlight: 1, beforeCredential: signalAsked });
    const otherPort = await other.server.listen('127.0.0.1', 0);
    const socket = net.connect(otherPort, '127.0.0.1');
    socket.write(
      lines('POST /v1/slow HTTP/1.1', 'Host: x', `Authorization: ${other.token.authorization}`, ''),
    );
    await asked.promise;
    socket.destroy();
    const { server } = other.server.app;
    const open = promisify(server.getConnections.bind(server));
    await expect.poll(() => open()).toBe(0);
    answered.resolve();
    await expect.poll(() => other.finished.length).toBe(1);
    expect((await other.call('POST', '/v1/echo', {})).statusCode).toBe(200);
    await other.close();
  });

  it('Contract §1 service_unavailable: 503 at once when too much is in flight', async () => {
    const over = Promise.withResolvers<void>();
    const other = await echoWorld({ maxInFlight: 1, slowly: () => over.promise });
    const running = other.call('POST', '/v1/slow', {});
    await expect.poll(() => other.started.length).toBe(1);
    const refused = await other.call('POST', '/v1/echo', {});
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([503, '1']);
    over.resolve();
    expect((await running).statusCode).toBe(200);
    expect((await other.call('POST', '/v1/echo', {})).statusCode).toBe(200);
    await other.close();
  });
});
