// The load generator's connections: HTTP/1.1 with one request at a time on each and nothing but the
// status and the body read of its answer. What the generator costs, the two sides of a measure share
// with it on a small machine; a client made for every case costs several times as much.

import { createConnection, type Socket } from 'node:net';

export type RawRequest = {
  readonly method: 'PUT' | 'POST' | 'GET';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** ASCII, or null for none. */
  readonly body: string | null;
};

export type RawAnswer = { readonly status: number; readonly body: string };

type Asked = { readonly resolve: (answer: RawAnswer) => void; readonly reject: (e: Error) => void };

export type RawPool = {
  ask(request: RawRequest): Promise<RawAnswer>;
};

const textOf = (host: string, { method, path, headers, body }: RawRequest): string => {
  let text = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\n`;
  for (const name in headers) text += `${name}: ${headers[name]}\r\n`;
  return body === null ? `${text}\r\n` : `${text}content-length: ${body.length}\r\n\r\n${body}`;
};

/** The first answer in the text, and how long it is; null where it is not whole yet. */
export function readAnswer(text: string): { answer: RawAnswer; length: number } | null {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return null;
  const head = text.slice(0, end);
  const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(head) ?? [];
  const [, size] = /\r\ncontent-length: *(\d+)/i.exec(head) ?? [];
  if (!status || (!size && status !== '204')) throw new Error(`no answer to read: ${head}`);
  const length = end + 4 + Number(size ?? 0);
  if (text.length < length) return null;
  return { answer: { status: Number(status), body: text.slice(end + 4, length) }, length };
}

/** Less than any server of ours keeps one: none is closed by the other end as it is taken again. */
const mostIdleMs = 50_000;

/** As many connections as there are requests under way at once, kept between them. */
export function openRawPool(origin: string, idleMs: number = mostIdleMs): RawPool {
  const { host, hostname, port } = new URL(origin);
  const idle: Socket[] = [];
  const idleSince = new WeakMap<Socket, number>();
  const asked = new WeakMap<Socket, Asked>();

  const open = (): Socket => {
    const socket = createConnection({ host: hostname, port: Number(port), noDelay: true });
    let text = '';
    const fail = (error: Error) => {
      const at = idle.indexOf(socket);
      if (at >= 0) idle.splice(at, 1);
      asked.get(socket)?.reject(error);
      asked.delete(socket);
      socket.destroy();
    };
    socket.on('error', fail);
    socket.on('close', () => fail(new Error('the connection was closed')));
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      try {
        const read = readAnswer(text);
        if (!read) return;
        if (read.length < text.length) throw new Error('more than was asked for');
        text = '';
        const one = asked.get(socket);
        if (!one) throw new Error('an answer that nobody asked for');
        asked.delete(socket);
        idle.push(socket);
        idleSince.set(socket, performance.now());
        one.resolve(read.answer);
      } catch (error) {
        fail(error as Error);
      }
    });
    return socket;
  };

  /** The one that was used last; what waits below it has waited for longer. */
  const take = (): Socket => {
    const socket = idle.pop();
    if (!socket) return open();
    if (performance.now() - (idleSince.get(socket) ?? 0) <= idleMs) return socket;
    for (const old of [socket, ...idle.splice(0)]) old.destroy();
    return open();
  };

  return {
    ask: (request) =>
      new Promise((resolve, reject) => {
        const socket = take();
        asked.set(socket, { resolve, reject });
        socket.write(textOf(host, request), 'latin1');
      }),
  };
}
