// How a server ends: nothing that has arrived is lost.

import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import { scaled } from '@svc/tools/machine';
import { expect, it } from 'vitest';
import { echoWorld } from '../../test/echo.ts';

const ask = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';

it('what runs is finished when the server closes, and nothing new is accepted', async () => {
  const over = Promise.withResolvers<void>();
  const other = await echoWorld({ slowly: () => over.promise });
  const otherPort = await other.server.listen('127.0.0.1', 0);
  const authorization = other.token.authorization;
  const running = fetch(`http://127.0.0.1:${otherPort}/v1/slow`, {
    method: 'POST',
    headers: { authorization },
  });
  await expect.poll(() => other.started.length).toBe(1);
  const closing = other.server.close(60_000);
  const isOpen = () =>
    fetch(`http://127.0.0.1:${otherPort}/healthz`).then(
      () => true,
      () => false,
    );
  await expect.poll(isOpen).toBe(false);
  over.resolve();
  expect((await running).status).toBe(200);
  // Its connection is kept alive for a minute, and nobody waits for what else could come on it.
  await closing;
  await other.db.close();
});

it('a request that has arrived when the server closes is answered, on kept and on new connections', async () => {
  const other = await echoWorld();
  const otherPort = await other.server.listen('127.0.0.1', 0);
  const said: string[] = [];
  const kept = await Promise.all(
    Array.from({ length: 4 }, async (_, at) => {
      const socket = net.connect(otherPort, '127.0.0.1');
      socket.on('data', (part) => {
        said[at] = (said[at] ?? '') + part;
      });
      socket.on('error', ({ message }) => {
        said[at] = message;
      });
      socket.write(ask);
      await expect.poll(() => said[at]).toContain('200 OK');
      return socket;
    }),
  );
  said.length = 0;
  // In one turn of the event loop: the server has read nothing of it when it begins to close.
  for (const socket of kept) socket.write(ask);
  const late = Array.from({ length: 20 }, () => {
    const socket = net.connect(otherPort, '127.0.0.1');
    const answer = { said: '', ended: once(socket, 'close') };
    socket.on('data', (part) => {
      answer.said += part;
    });
    socket.on('error', ({ message }) => {
      answer.said = message;
    });
    socket.write(ask);
    return answer;
  });
  await other.server.close(60_000);
  await Promise.all(late.map(({ ended }) => ended));
  for (const answer of [...said, ...late.map((one) => one.said)]) {
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK[\s\S]*connection: close/i);
  }
  expect(said).toHaveLength(4);
  await other.db.close();
});

it('a kept connection serves while the server lingers, once, after the end of listening', async () => {
  const other = await echoWorld();
  const otherPort = await other.server.listen('127.0.0.1', 0);
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const askAgain = () =>
    new Promise<string>((resolve, reject) => {
      http
        .get({ port: otherPort, host: '127.0.0.1', path: '/healthz', agent }, (answer) => {
          answer.resume();
          answer.on('end', () => resolve(`${answer.statusCode} ${answer.headers.connection}`));
        })
        .on('error', reject);
    });
  expect(await askAgain()).toBe('200 keep-alive');
  const closing = other.server.close(60_000, scaled(2000));
  const isOpen = () =>
    fetch(`http://127.0.0.1:${otherPort}/healthz`).then(
      () => true,
      () => false,
    );
  await expect.poll(isOpen).toBe(false);
  expect(await askAgain()).toBe('200 close');
  agent.destroy();
  await closing;
  await other.db.close();
});

it('connections that are accepted while listening ends, and say nothing, hold no server up', async () => {
  const other = await echoWorld();
  const otherPort = await other.server.listen('127.0.0.1', 0);
  const closing = other.server.close(0);
  const silent = Array.from({ length: 20 }, () => {
    const socket = net.connect(otherPort, '127.0.0.1');
    socket.on('error', () => undefined);
    return socket;
  });
  await closing;
  for (const socket of silent) socket.destroy();
  await other.db.close();
});
