// What comes in at the card form's listener, byte for byte over a socket: nothing of it is left in the
// buffers that it came in.

import http, { type IncomingMessage } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { wipeBodies } from './wiped-bodies.ts';

let server: http.Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** Every buffer that the socket or a request gave out, as it is when the connection has ended. */
async function buffersOf(
  parts: readonly string[],
  answer: (request: IncomingMessage, response: http.ServerResponse) => void,
): Promise<{ bodies: string[]; left: string }> {
  const seen: Buffer[] = [];
  const bodies: string[] = [];
  server = http.createServer((request, response) => {
    request.on('data', (piece: Buffer) => {
      seen.push(piece);
      bodies.push(piece.toString());
    });
    answer(request, response);
  });
  server.on('connection', (socket) => socket.on('data', (piece: Buffer) => seen.push(piece)));
  wipeBodies(server);
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const socket = net.connect(port, '127.0.0.1');
  for (const part of parts) {
    const before = seen.length;
    socket.write(part);
    await expect.poll(() => seen.length).toBeGreaterThan(before);
  }
  await new Promise((resolve) => socket.resume().once('close', resolve));
  return { bodies, left: Buffer.concat(seen).toString('latin1') };
}

const number = '4242424242424242';
const requestHead = (length: number) =>
  `POST /form/tokens HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${length}\r\n\r\n`;
const body = `{"number":"${number}","cvc":"987"}`;

it('a body that is read whole is handed on, and wiped', async () => {
  const { bodies, left } = await buffersOf(
    [requestHead(body.length) + body],
    (request, response) => {
      request.on('end', () => response.end('ok'));
    },
  );
  expect(bodies.join('')).toBe(body);
  expect(left).toMatch(/^\0+$/);
});

it('a body in several pieces', async () => {
  const pieces = [requestHead(body.length) + body.slice(0, 5), body.slice(5, 20), body.slice(20)];
  const { bodies, left } = await buffersOf(pieces, (request, response) => {
    request.on('end', () => response.end('ok'));
  });
  expect(bodies.join('')).toBe(body);
  expect(left).toMatch(/^\0+$/);
});

it('a body that is refused before it is there', async () => {
  const { left } = await buffersOf([requestHead(body.length) + body], (_, response) => {
    response.writeHead(403).end();
  });
  expect(left).toMatch(/^\0+$/);
});
