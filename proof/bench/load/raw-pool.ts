// The load generator's connections: HTTP/1.1 with one request at a time on each, which reads only
// status and body of the response. On a small machine both sides share the cost of the generator,
// and a general HTTP client costs several times as much.

import { createConnection, type Socket } from 'node:net';

export type RawRequest = {
  readonly method: 'PUT' | 'POST' | 'GET';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** ASCII text; null for no body. */
  readonly body: string | null;
};

export type RawAnswer = { readonly status: number; readonly body: string };

type PendingRequest = {
  readonly resolve: (answer: RawAnswer) => void;
  readonly reject: (e: Error) => void;
};

export type RawPool = {
  ask(request: RawRequest): Promise<RawAnswer>;
};

const textOf = (host: string, { method, path, headers, body }: RawRequest): string => {
  let text = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\n`;
  for (const name in headers) text += `${name}: ${headers[name]}\r\n`;
  return body === null ? `${text}\r\n` : `${text}content-length: ${body.length}\r\n\r\n${body}`;
};

/** Returns the first response in the text and its length; null while it is incomplete. */
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

/**
 * Shorter than the keep-alive time of our servers, so that no server closes a connection while it
 * is reused.
 */
const mostIdleMs = 50_000;

/** Opens as many connections as requests are in flight and keeps them open between requests. */
export function openRawPool(origin: string, idleMs: number = mostIdleMs): RawPool {
  const { host, hostname, port } = new URL(origin);
  const idle: Socket[] = [];
  const idleSince = new WeakMap<Socket, number>();
  const asked = new WeakMap<Socket, PendingRequest>();

  const openSocket = (): Socket => {
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

  /**
   * Returns the connection that was used last; those below it in the stack have been idle for
   * longer.
   */
  const takeSocket = (): Socket => {
    const socket = idle.pop();
    if (!socket) return openSocket();
    if (performance.now() - (idleSince.get(socket) ?? 0) <= idleMs) return socket;
    for (const old of [socket, ...idle.splice(0)]) old.destroy();
    return openSocket();
  };

  return {
    ask: (request) =>
      new Promise((resolve, reject) => {
        const socket = takeSocket();
        asked.set(socket, { resolve, reject });
        socket.write(textOf(host, request), 'latin1');
      }),
  };
}
