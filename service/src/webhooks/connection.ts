// One connection to addresses that were judged. It carries one request at a time, written in one
// piece; the answer is read as it arrives (RFC 9112). It uses raw sockets, because a delivery needs
// little of HTTP, and a general client would cost more than the rest of a delivery. docs/decisions/deliveries.md.
import net from 'node:net';
import tls from 'node:tls';
import { AnswerReader } from './answer-reader.ts';
import { pinnedLookup } from './pinned-lookup.ts';
import type { Target } from './target.ts';

/** Shorter than the time for which common servers keep an idle connection, in milliseconds. */
const longestIdleMs = 4000;
/** How long before the receiver's own limit a connection is given up, in milliseconds. */
const spareMs = 1000;

export type ReceivedResponse = {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly date: string | undefined;
  /** The part of the body that arrived, up to the maximum size. */
  readonly body: Buffer;
  /** Whether the connection can carry another request. */
  readonly isKept: boolean;
};

type PendingRequest = {
  readonly request: Buffer;
  readonly reader: AnswerReader;
  readonly timer: NodeJS.Timeout;
  readonly resolve: (received: ReceivedResponse) => void;
  readonly reject: (error: Error) => void;
};

/** One buffer for all plain sockets, because its bytes are read or copied at once. */
const shared = Buffer.allocUnsafeSlow(64 * 1024);

export class Connection {
  /**
   * The beginning of each request: its path with the query, and the host with any port that is not
   * the default.
   */
  readonly target: string;
  readonly openedAtMs: number = performance.now();
  idleSinceMs: number = 0;
  /** How long the connection may wait for its next request, in milliseconds. */
  idleMs: number = longestIdleMs;
  #isOpen = false;
  #error: Error | undefined;
  #asked: PendingRequest | undefined;
  readonly #socket: net.Socket;

  /** Connects to the judged addresses at once. */
  constructor({ url, addresses }: Target, connectMs: number) {
    this.target = `POST ${url.pathname}${url.search} HTTP/1.1\r\nhost: ${url.host}\r\n`;
    const isSecure = url.protocol === 'https:';
    const name = url.hostname.replace(/^\[|\]$/g, '');
    const options = {
      host: name,
      port: Number(url.port || (isSecure ? 443 : 80)),
      lookup: pinnedLookup(addresses),
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: 1000,
    };
    this.#socket = isSecure ? this.#secure(name, options) : this.#plain(options);
    this.#follow(isSecure ? 'secureConnect' : 'connect', connectMs);
  }

  /** No request is under way, and neither side has closed the connection. */
  get isFree(): boolean {
    return !this.#asked && !this.#error && this.#socket.writable;
  }

  /**
   * Sends a request and reads its answer. Rejects when no status arrives. Once the status has
   * arrived, it is the answer, however the body ends.
   */
  exchange(request: Buffer, totalMs: number): Promise<ReceivedResponse> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#end(new Error('timeout')), totalMs);
      this.#asked = { request, reader: new AnswerReader(), timer, resolve, reject };
      if (this.#error) this.#end(this.#error);
      else if (this.#isOpen) this.#socket.write(request);
    });
  }

  close(): void {
    if (!this.#socket.destroyed) this.#socket.destroy();
  }

  #plain(options: net.TcpNetConnectOpts): net.Socket {
    const callback = (size: number, bytes: Uint8Array): boolean => {
      this.#read(Buffer.from(bytes.buffer, bytes.byteOffset, size));
      return true;
    };
    return net.connect({ ...options, onread: { buffer: shared, callback } });
  }

  #secure(host: string, options: tls.ConnectionOptions): tls.TLSSocket {
    const socket = tls.connect({
      ...options,
      ...(net.isIP(host) ? {} : { servername: host.replace(/\.$/, '') }),
      ALPNProtocols: ['http/1.1'],
      minVersion: 'TLSv1.2',
      rejectUnauthorized: true,
    });
    return socket.on('data', (bytes: Buffer) => this.#read(bytes));
  }

  #follow(opened: 'connect' | 'secureConnect', connectMs: number): void {
    const socket = this.#socket.setNoDelay(true);
    const timer = setTimeout(() => socket.destroy(new Error('connect_timeout')), connectMs);
    socket.once(opened, () => {
      clearTimeout(timer);
      this.#isOpen = true;
      if (this.#asked) socket.write(this.#asked.request);
    });
    const reportGone = (error?: Error) => {
      clearTimeout(timer);
      this.#error ??= error ?? new Error('connection_reset');
      this.close();
      this.#end(this.#error);
    };
    socket.on('error', reportGone);
    socket.on('end', () => reportGone());
    socket.on('close', () => reportGone());
  }

  #read(bytes: Buffer): void {
    const { reader } = this.#asked ?? {};
    try {
      // No request is under way, so these bytes are no answer.
      if (!reader) this.close();
      else if (reader.push(bytes)) this.#end(undefined);
    } catch (error) {
      this.#end(error as Error);
    }
  }

  /** Ends the request that is under way. `error` is one of the connection, which is then closed too. */
  #end(error: Error | undefined): void {
    const asked = this.#asked;
    if (!asked) return;
    this.#asked = undefined;
    clearTimeout(asked.timer);
    const { status, retryAfter, date, body, canStay, keptForMs } = asked.reader;
    // If the answer came before the whole request was written, the connection is not used again.
    const isKept = !error && canStay && this.#socket.writableLength === 0;
    if (isKept) {
      this.idleSinceMs = performance.now();
      this.idleMs = Math.min(longestIdleMs, (keptForMs ?? Number.POSITIVE_INFINITY) - spareMs);
    } else this.close();
    if (status === 0) asked.reject(error ?? new Error('connection_reset'));
    else asked.resolve({ status, retryAfter, date, body, isKept });
  }
}
