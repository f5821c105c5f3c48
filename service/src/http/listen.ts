// The listening sockets, and the protocol limits of each.

import { lookup } from 'node:dns/promises';
import http from 'node:http';
import net, { type Socket } from 'node:net';
import {
  endServing,
  type Hold,
  SocketGuard,
  type SocketLimits,
  writeAndEnd,
} from '@svc/contract/servers/sockets';
import type { FastifyInstance } from 'fastify';
import { Refusal } from '../domain/protocol/refusal.ts';
import { errorAnswer } from './wire/errors.ts';
import type { Log } from './wire/log.ts';
import { newRequestId } from './wire/request-id.ts';

/** Headers of every response; pages and documents replace the policies that do not fit them. */
export const apiHeaders: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'strict-transport-security': 'max-age=63072000; includeSubDomains',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
};

export const httpSettings = {
  headersTimeout: 10_000,
  maxHeaderSize: 16_384,
  insecureHTTPParser: false,
  connectionsCheckingInterval: 5000,
} as const;
export const requestTimeout = 15_000;
export const keepAliveTimeout = 65_000;
export const maxHeadersCount = 100;

/**
 * Resolves `localhost` to 127.0.0.1, ::1 or both, as this machine has it; any other host is
 * returned unchanged.
 */
async function addressesOf(host: string): Promise<readonly [string, ...string[]]> {
  if (host !== 'localhost') return [host];
  const found = (await lookup(host, { all: true })).map(({ address }) => address);
  const [first = host, ...rest] = new Set(found);
  return [first, ...rest];
}

type Answering = { readonly baseUrl: string; readonly log: Log };

/**
 * The listening sockets. The framework can bind the second address of `localhost` itself, but
 * without the protocol limits.
 */
export class Bindings {
  readonly #app: FastifyInstance;
  readonly #answering: Answering;
  readonly #guard: SocketGuard;
  readonly #others: http.Server[] = [];

  constructor(app: FastifyInstance, answering: Answering, limits: SocketLimits) {
    this.#app = app;
    this.#answering = answering;
    this.#guard = new SocketGuard(limits);
    this.#guard.watch(app.server);
  }

  async listen(host: string, port: number): Promise<number> {
    return this.listenOn(await addressesOf(host), port);
  }

  /** Listens on each address; port 0 takes a port that is free on the first. */
  async listenOn(addresses: readonly [string, ...string[]], port: number): Promise<number> {
    const [first, ...rest] = addresses;
    await this.#app.listen({ host: first, port });
    const bound = this.#app.server.address();
    const boundPort = typeof bound === 'object' && bound ? bound.port : port;
    for (const address of rest) await this.#listenAlso(address, boundPort);
    return boundPort;
  }

  async #listenAlso(host: string, port: number): Promise<void> {
    const server = http.createServer(
      { ...httpSettings, requestTimeout, keepAliveTimeout },
      (request, response) => this.#app.routing(request, response),
    );
    server.maxHeadersCount = maxHeadersCount;
    this.#guard.watch(server);
    server.on('clientError', (error, socket) => {
      answerBrokenRequest(error, socket as Socket, this.#answering);
    });
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    server.once('error', reject).listen(port, host, resolve);
    try {
      await promise;
      this.#others.push(server);
    } catch (error) {
      // A machine without IPv6 may still list ::1 in its hosts file.
      if ((error as NodeJS.ErrnoException).code !== 'EADDRNOTAVAIL') throw error;
    }
  }

  /** Ends within `drainMs`; kept connections serve for `lingerMs` after the end of listening. */
  end(hold: Hold, drainMs: number, lingerMs: number): Promise<void> {
    const closeListener = net.Server.prototype.close;
    const finish = () => Promise.all([this.#app.close(), this.#closeOthers()]);
    const servers: http.Server[] = [this.#app.server, ...this.#others];
    return endServing(servers, { closeListener, hold, drainMs, lingerMs, finish });
  }

  async #closeOthers(): Promise<void> {
    await Promise.all(
      this.#others.map(
        (server) =>
          new Promise((resolve) => {
            server.close(resolve);
            server.closeIdleConnections();
          }),
      ),
    );
  }
}

/** A request that the parser refuses never reaches the framework, so the response is written by hand. */
export function answerBrokenRequest(
  error: NodeJS.ErrnoException,
  socket: Socket,
  { baseUrl, log }: Answering,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return;
  // An earlier request on this connection is still being answered: the client would take this
  // response for that one.
  const isAnswering = Boolean((socket as Socket & { _httpMessage?: unknown })._httpMessage);
  // The connection was opened and not used in time: a 408 would be taken for the response to a
  // request that is just being sent.
  const isUnused = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket.bytesRead === 0;
  if (isAnswering || isUnused) {
    socket.destroy();
    return;
  }
  const [status, reason]: [number, string] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? [431, 'Request Header Fields Too Large']
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? [408, 'Request Timeout']
        : [400, 'Bad Request'];
  const requestId = newRequestId();
  log.info('request refused', {
    requestId,
    ...(socket.remoteAddress ? { address: socket.remoteAddress } : {}),
    status,
    code: 'invalid_request',
  });
  const refusal = new Refusal('invalid_request', { message: 'The request is not valid HTTP.' });
  const { body } = errorAnswer(refusal, { requestId, baseUrl, status });
  const text = JSON.stringify(body);
  const headers = {
    ...apiHeaders,
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(text)),
    connection: 'close',
    'request-id': requestId,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  writeAndEnd(socket, `HTTP/1.1 ${status} ${reason}\r\n${lines.join('\r\n')}\r\n\r\n${text}`);
}
