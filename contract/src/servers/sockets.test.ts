import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import { SocketGuard, type SocketLimits, socketRoom, writeAndEnd } from './sockets.ts';

const servers: http.Server[] = [];
const sockets: net.Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function listen(
  limits: Partial<SocketLimits>,
  onRequest: http.RequestListener = (_, response) => response.end('ok'),
): Promise<{ server: http.Server; port: number; seen: net.Socket[] }> {
  const server = http.createServer(onRequest);
  const seen: net.Socket[] = [];
  server.on('connection', (socket) => seen.push(socket));
  server.on('clientError', (_, socket) => {
    const { writable } = socket as net.Socket;
    if (writable) writeAndEnd(socket as net.Socket, 'HTTP/1.1 400 Bad Request\r\n\r\n');
  });
  new SocketGuard({ most: 1000, mostOfAddress: null, ...limits }).watch(server);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, port: (server.address() as AddressInfo).port, seen };
}

/** Opens a client that never ends its side and reads only when the test says so. */
const connect = (port: number, text = '', from = '127.0.0.1'): net.Socket => {
  const socket = net.connect({ port, host: '127.0.0.1', localAddress: from, allowHalfOpen: true });
  socket.on('error', () => undefined);
  if (text) socket.write(text);
  sockets.push(socket);
  return socket;
};

/** Returns the bytes of a response that the kernel has not accepted. */
const queued = (socket: net.Socket | undefined): number =>
  (socket as unknown as { _handle: { writeQueueSize: number } })._handle.writeQueueSize;

const isOpen = (server: http.Server) =>
  new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)));

it('an answered connection ends within a second, though the other side neither reads nor ends', async () => {
  const { server, port, seen } = await listen({});
  connect(port, 'garbage\r\n\r\n').pause();
  await expect.poll(() => seen.length).toBe(1);
  const from = performance.now();
  await expect.poll(() => isOpen(server)).toBe(0);
  expect(performance.now() - from).toBeLessThan(2000);
});

it('the answer reaches a client that is still sending', async () => {
  const { port } = await listen({});
  const socket = connect(port, `GET / HTTP/1.1\r\nX: ${'a'.repeat(500_000)}`);
  let said = '';
  socket.on('data', (part) => {
    said += part;
  });
  await new Promise((resolve) => socket.once('close', resolve).once('end', () => socket.end()));
  expect(said).toContain('400 Bad Request');
});

it('one address: so many sockets, whatever is sent on them; others are not touched', async () => {
  let refused = 0;
  const { server, port } = await listen({ mostOfAddress: 3, onTooMany: () => (refused += 1) });
  for (let i = 0; i < 6; i++) connect(port, 'GET / HTTP/1.1\r\nHo');
  await expect.poll(() => refused).toBe(3);
  expect(await isOpen(server)).toBe(3);
  const other = connect(port, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n', '127.0.0.2');
  const said = await new Promise((resolve) => other.once('data', (part) => resolve(String(part))));
  expect(said).toContain('200 OK');
});

it('a place that is left is free again', async () => {
  const { port, seen } = await listen({ mostOfAddress: 1 });
  connect(port);
  await expect.poll(() => seen.length).toBe(1);
  sockets.splice(0)[0]?.destroy();
  await expect.poll(() => seen[0]?.destroyed).toBe(true);
  const next = connect(port, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  const said = await new Promise((resolve) => next.once('data', (part) => resolve(String(part))));
  expect(said).toContain('200 OK');
});

it('a reader that takes nothing is cut; one that waits long for its answer is not', async () => {
  const big = Buffer.alloc(30_000_000, 'a');
  const held: http.ServerResponse[] = [];
  const { port, seen } = await listen({ stallMs: 300 }, (request, response) => {
    if (request.url === '/big') response.end(big);
    else held.push(response);
  });
  const waiting = connect(port, 'GET /slow HTTP/1.1\r\nHost: x\r\n\r\n');
  await expect.poll(() => held.length).toBe(1);
  connect(port, 'GET /big HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(3)).pause();
  await expect.poll(() => seen.length).toBe(2);
  await expect.poll(() => seen[1]?.destroyed).toBe(true);
  expect(seen[0]?.destroyed).toBe(false);
  held[0]?.end('at last');
  const said = await new Promise((resolve) =>
    waiting.once('data', (part) => resolve(String(part))),
  );
  expect(said).toContain('at last');
});

it('a reader that takes nothing has 30 s, unless told otherwise', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  try {
    const big = Buffer.alloc(30_000_000, 'a');
    const answered: http.ServerResponse[] = [];
    const { port, seen } = await listen({}, (_, response) => {
      answered.push(response.end(big));
    });
    connect(port, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n').pause();
    await expect.poll(() => answered.length).toBe(1);
    // The kernel must have accepted all that it can before the bytes are counted.
    let left = 0;
    const hasStopped = () => {
      const before = left;
      left = queued(seen[0]);
      return left > 0 && left === before;
    };
    await expect.poll(hasStopped).toBe(true);
    vi.advanceTimersByTime(29_000);
    expect(seen[0]?.destroyed).toBe(false);
    vi.advanceTimersByTime(6000);
    expect(seen[0]?.destroyed).toBe(true);
  } finally {
    vi.useRealTimers();
  }
});

it('a reader that takes a little at a time is served to the end', async () => {
  const size = 24_000_000;
  const { port } = await listen({ stallMs: 600 }, (_, response) =>
    response.end(Buffer.alloc(size)),
  );
  const socket = connect(port, 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  let got = 0;
  socket.on('data', (part) => {
    got += part.length;
    socket.pause();
    setImmediate(() => socket.resume());
  });
  await new Promise((resolve) => socket.once('close', resolve).once('end', () => socket.end()));
  expect(got).toBeGreaterThan(size);
});

it.each([
  ['Max open files            300                  300                  files', 200, 100],
  ['Max open files            1048576              1048576              files', 1048476, 216],
  [undefined, 924, 216],
  ['Max open files            64                   64                   files', 32, 16],
])('room for sockets: %s', (limits, most, mostOfAddress) => {
  expect(socketRoom(limits, 216)).toEqual({ most, mostOfAddress });
  expect(socketRoom(limits, null)).toEqual({ most, mostOfAddress: null });
});
