import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { insideUrls, malformedUrls } from '../../test/attacks/forbidden-urls.ts';
import { aReceiver, loopback, type Receiver } from '../../test/webhooks/webhooks.ts';
import { webhookUrlJudge } from './judge-url.ts';
import { type WebhookSettings, webhookSender } from './send.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
  vi.restoreAllMocks();
});

function openSender(settings: Partial<WebhookSettings> = {}) {
  const sender = webhookSender({ allow: loopback, connectMs: 2000, totalMs: 3000, ...settings });
  return (url: string, connection?: string) =>
    sender({
      ...{ url, body: '{}', eventId: 'evt_1', secrets: [], now: new Date() },
      ...(connection ? { connection } : {}),
    });
}

async function receiver(...given: Parameters<typeof aReceiver>): Promise<Receiver> {
  const made = await aReceiver(...given);
  closers.push(made.close);
  return made;
}

/** Answers 200 to each request, with the number of its connection. */
async function countingServer(afterAnswer: (socket: net.Socket, answered: number) => void) {
  const sockets: net.Socket[] = [];
  const requests: number[] = [];
  const server = net.createServer((socket) => {
    const number = sockets.push(socket);
    let answered = 0;
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      if (!chunk.toString().includes('\r\n\r\n{}')) return;
      requests.push(number);
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n', () =>
        afterAnswer(socket, ++answered),
      );
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  return { url, requests, sockets };
}

describe('connections', () => {
  it('one endpoint uses its connection again, another endpoint never, though the URL is the same', async () => {
    const { url, requests } = await countingServer(() => undefined);
    const send = openSender();
    for (const endpoint of ['a', 'a', 'b', 'a', 'b']) {
      expect(await send(url, endpoint)).toMatchObject({ status: 200 });
    }
    expect(requests).toEqual([1, 1, 2, 1, 2]);
  });

  it('one at a time carries one request; those at once have one each', async () => {
    const { url, requests } = await countingServer(() => undefined);
    const send = openSender();
    await Promise.all([send(url, 'a'), send(url, 'a'), send(url, 'a')]);
    expect(requests.toSorted()).toEqual([1, 2, 3]);
  });

  it('a changed URL of the same endpoint opens a new one', async () => {
    const { url, requests } = await countingServer(() => undefined);
    const send = openSender();
    await send(url, 'a');
    await send(`${url}/v2`, 'a');
    expect(requests).toEqual([1, 2]);
  });

  it('without a name nothing is kept', async () => {
    const { url, requests } = await countingServer(() => undefined);
    const send = openSender();
    await send(url);
    await send(url);
    expect(requests).toEqual([1, 2]);
  });

  it('after thirty seconds the next request has a new one, judged anew', async () => {
    const { url, requests } = await countingServer(() => undefined);
    const resolve = vi.fn(async () => ['127.0.0.1']);
    const send = openSender({ resolve });
    const named = url.replace('127.0.0.1', 'hook.example');
    await send(named, 'a');
    await send(named, 'a');
    expect(resolve).toHaveBeenCalledTimes(1);
    const now = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => now() + 30_000);
    expect(await send(named, 'a')).toMatchObject({ status: 200 });
    expect(requests).toEqual([1, 1, 2]);
    expect(resolve).toHaveBeenCalledTimes(2);
  });

  it('a receiver that closes after its answer without a word, or resets: the next one arrives on a new one', async () => {
    for (const close of ['end', 'resetAndDestroy'] as const) {
      const { url, requests } = await countingServer((socket) => socket[close]());
      const send = openSender();
      for (let n = 0; n < 3; n++) expect(await send(url, 'a')).toMatchObject({ status: 200 });
      // A request that was sent before the close was noticed is sent again.
      expect([...new Set(requests)]).toEqual([1, 2, 3]);
    }
  });

  it('closed just as the next request comes: sent again on a new one, not failed', async () => {
    const sockets: net.Socket[] = [];
    const server = net.createServer((socket) => {
      const first = sockets.push(socket) === 1;
      let answered = 0;
      socket.on('error', () => undefined);
      socket.on('data', (chunk) => {
        if (!chunk.toString().includes('\r\n\r\n{}')) return;
        // The first connection accepts a second request and closes without a response.
        if (first && answered++ > 0) return socket.resetAndDestroy();
        return socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    closers.push(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
    const send = openSender();
    expect(await send(url, 'a')).toMatchObject({ status: 200 });
    expect(await send(url, 'a')).toMatchObject({ status: 200 });
    expect(sockets).toHaveLength(2);
  });

  it('asked for while it closes, after the socket and before the news of it: sent on a new one', async () => {
    const { url, requests } = await countingServer((socket) => socket.end());
    const send = openSender();
    const { destroy } = net.Socket.prototype;
    const asked: ReturnType<typeof send>[] = [];
    vi.spyOn(net.Socket.prototype, 'destroy').mockImplementation(function (
      this: net.Socket,
      error,
    ) {
      const isOurs = url.includes(`:${this.remotePort}/`);
      destroy.call(this, error);
      if (asked.length === 0 && isOurs) asked.push(send(url, 'a'));
      return this;
    });
    expect(await send(url, 'a')).toMatchObject({ status: 200 });
    await expect.poll(() => asked.length).toBe(1);
    expect(await asked[0]).toMatchObject({ status: 200 });
    expect(requests).toEqual([1, 2]);
  });

  it('a timeout or a cut body leaves no connection behind', async () => {
    let isSilent = true;
    const target = await receiver((_, response) => (isSilent ? undefined : response.end()));
    const send = openSender({ totalMs: 200 });
    expect(await send(target.url, 'a')).toMatchObject({ error: 'timeout' });
    isSilent = false;
    expect(await send(target.url, 'a')).toMatchObject({ status: 200 });
    const drip = await receiver((_, response) => response.writeHead(200).write('x'));
    expect(await send(drip.url, 'b')).toMatchObject({ status: 200, excerpt: 'x' });
  });

  it('half-open: a receiver that sends its end first, then takes the request, is no answer', async () => {
    const server = net.createServer({ allowHalfOpen: true }, (socket) => {
      socket.on('error', () => undefined);
      socket.end();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    closers.push(() => server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
    expect(await openSender()(url, 'a')).toMatchObject({ status: null, error: 'connection_reset' });
  });
});

describe('the whole corpus', () => {
  it.each([...insideUrls, ...malformedUrls])(
    'is refused at create and at each attempt: %j',
    async (url) => {
      const settings = { allow: [], resolve: async () => ['127.0.0.1'] };
      const verdict = await webhookUrlJudge(settings)(url);
      expect(['url_refused', 'address_refused']).toContain(verdict);
      const answer = await openSender(settings)(url, 'a');
      expect(answer).toMatchObject({ status: null, excerpt: null });
      expect(['url_refused', 'address_refused']).toContain(answer.error);
    },
  );
});
