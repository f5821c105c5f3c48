// Requests that no client library sends, byte for byte over a socket.
import http, { type Server } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { scaled } from '@svc/tools/machine';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { answerBrokenRequest } from './broken-requests.ts';
import { createServer } from './server.ts';

const logged: string[] = [];
const app = createServer({ write: (line: string) => void logged.push(line) });
let port: number;
beforeAll(async () => {
  await app.listen({ host: '127.0.0.1', port: 0 });
  ({ port } = app.server.address() as AddressInfo);
});
afterAll(() => app.close());

/** Returns everything that the server sends until it closes the connection. */
const say = (text: string, to = port): Promise<string> =>
  new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    net
      .connect(to, '127.0.0.1')
      .on('connect', function (this: net.Socket) {
        this.write(text);
      })
      .on('data', (part) => parts.push(part))
      .on('error', reject)
      .on('close', () => resolve(Buffer.concat(parts).toString('latin1')));
  });

/**
 * Returns the milliseconds from the response to the end of a connection whose client continues to
 * send.
 */
async function msToTheEnd(text: string, to = port): Promise<number> {
  const socket = net.connect({ port: to, host: '127.0.0.1', allowHalfOpen: true });
  socket.on('error', () => undefined).write(text);
  await new Promise((resolve) => socket.once('data', resolve));
  const from = performance.now();
  // Sent to a socket that is destroyed, a byte is answered with a reset.
  await expect.poll(() => socket.closed || !socket.write('x')).toBe(true);
  return performance.now() - from;
}

const told = (answer: string) => {
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  return {
    first: head.split('\r\n')[0],
    requestId: /^request-id: (req_[a-z0-9]{26})$/m.exec(head)?.[1],
    body: JSON.parse(body) as Record<string, unknown>,
  };
};

const broken = [
  ['HTTP/1.1 400 Bad Request', 400, '\x16\x03\x01\x02\x00\x01\x00'],
  ['HTTP/1.1 400 Bad Request', 400, 'GET / HTTP/9.9\r\n\r\n'],
  [
    'HTTP/1.1 431 Request Header Fields Too Large',
    431,
    `GET /health HTTP/1.1\r\nHost: x\r\nX-Big: ${'a'.repeat(17_000)}\r\n\r\n`,
  ],
] as const;

it.each(broken)('%s in the shape of every refusal', async (first, status, text) => {
  const { requestId, ...answer } = told(await say(text));
  expect(answer).toEqual({
    first,
    body: {
      type: 'validation_error',
      code: 'invalid_request',
      message: 'The request is not valid.',
      status,
      requestId,
      retryable: false,
    },
  });
  expect(requestId).toBeDefined();
  const lines = logged.filter((line) => line.includes(String(requestId)));
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { msg: 'request refused', status, code: 'invalid_request' },
  ]);
});

it.each(broken)('%s ends within a second, though the client does not end it', async (...of) => {
  expect(await msToTheEnd(of[2])).toBeLessThan(scaled(1000));
});

it('looks at its connections every 5 s', () => {
  const { connectionsCheckingInterval } = app.server as Server & {
    connectionsCheckingInterval?: number;
  };
  expect(connectionsCheckingInterval).toBe(5000);
});

it('a head that does not end in time gets 408; a connection that was never used, not a word', async () => {
  const times = { headersTimeout: 200, requestTimeout: 400, connectionsCheckingInterval: 50 };
  const impatient = http.createServer(times).on('clientError', (error, socket) => {
    answerBrokenRequest(error, socket as net.Socket, app.log);
  });
  await new Promise<void>((resolve) => impatient.listen(0, '127.0.0.1', resolve));
  const to = (impatient.address() as AddressInfo).port;
  const [half, nothing] = await Promise.all([
    say('GET / HTTP/1.1\r\nHost: x\r\n', to),
    say('', to),
  ]);
  expect(told(half)).toMatchObject({
    first: 'HTTP/1.1 408 Request Timeout',
    body: { status: 408 },
  });
  expect(nothing).toBe('');
  expect(await msToTheEnd('GET / HTTP/1.1\r\nHost: x\r\n', to)).toBeLessThan(scaled(1000));
  await new Promise((resolve) => impatient.close(resolve));
});
