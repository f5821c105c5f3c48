// One client that holds as many sockets as it can, against a running service with few descriptors.

import http from 'node:http';
import net from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freshDatabase, type TestDatabase } from '../../../test/harness.ts';
import { type ServiceProcesses, serviceProcesses } from '../../../test/service-processes.ts';

let db: TestDatabase;
let processes: ServiceProcesses;
let port: number;
const sockets: net.Socket[] = [];
beforeAll(async () => {
  db = await freshDatabase();
  processes = serviceProcesses(db);
  port = Number(new URL(await processes.start({}, 300)).port);
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  processes?.kill();
  await db?.close();
});

const isHealthy = (localAddress: string) =>
  new Promise<number | string>((resolve) => {
    const call = { host: '127.0.0.1', port, path: '/healthz', localAddress, agent: false };
    http
      .get({ ...call, timeout: 15_000 }, (answer) => resolve(answer.resume().statusCode ?? 0))
      .on('timeout', () => resolve('no answer'))
      .on('error', (error) => resolve(error.message));
  });

it.runIf(process.platform === 'linux').each([
  ['half a head', 'GET / HTTP/1.1\r\nHo'],
  ['garbage', '\x16\x03\x01\x02\x00\x01\x00\r\n\r\n'],
  [
    'pipelined calls whose answers nobody reads',
    'GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(6),
  ],
])(
  '300 descriptors, 320 sockets of one client with %s: another client is served',
  async (_, text) => {
    for (let i = 0; i < 320; i++) {
      const socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true });
      socket.on('error', () => undefined).pause();
      socket.write(text);
      sockets.push(socket);
    }
    const first = sockets.splice(0);
    await Promise.all(
      first.map(
        (one) => one.connecting && new Promise((on) => one.once('connect', on).once('error', on)),
      ),
    );
    expect(await isHealthy('127.0.0.2')).toBe(200);
    for (const socket of first) socket.destroy();
    await expect.poll(() => isHealthy('127.0.0.1')).toBe(200);
  },
  60_000,
);
