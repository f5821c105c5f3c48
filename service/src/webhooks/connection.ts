// One connection to judged addresses. It carries one request at a time, written in one piece; the
// answer is read as it comes (RFC 9112). Raw sockets, because what a delivery needs of HTTP is little
// and a client for everything costs more than all the rest of a delivery. Decision 0102.
import net from 'node:net';
import tls from 'node:tls';
import { AnswerReader } from './answer-reader.ts';
import { pinnedLookup } from './pinned-lookup.ts';
import type { Target } from './target.ts';

/** Shorter than what common servers wait. */
const longestIdleMs = 4000;
/** What a receiver says of its own patience is kept to with this to spare. */
const spareMs = 1000;

export type Received = {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly date: string | undefined;
  /** Bounded, and as much of it as came. */
  readonly body: Buffer;
  /** The connection can carry another request. */
  readonly isKept: boolean;
};

type Asked = {
  readonly request: Buffer;
  readonly reader: AnswerReader;
  readonly timer: NodeJS.Timeout;
  readonly resolve: (received: Received) => void;
  readonly reject: (error: Error) => void;
};

/** What comes off a socket is read at once, or copied: one place to put it serves them all. */
const shared = Buffer.allocUnsafeSlow(64 * 1024);

export class Connection {
  /** How each request begins: its path with the query, and the host with a port that is not the usual one. */
  readonly target: string;
  readonly openedAtMs: number = performance.now();
  idleSinceMs: number = 0;
  /** How long it may wait for its next request. */
  idleMs: number = longestIdleMs;
  #isOpen = false;
  #error: Error | undefined;
  #asked: Asked | undefined;
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

  /** Nothing is asked on it, and nobody has closed it. */
  get isFree(): boolean {
    return !this.#asked && !this.#error && this.#socket.writable;
  }

  /** Rejects when no status came. With one, the status is the answer, however the body ends. */
  exchange(request: Buffer, totalMs: number): Promise<Received> {
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
    const gone = (error?: Error) => {
      clearTimeout(timer);
      this.#error ??= error ?? new Error('connection_reset');
      this.close();
      this.#end(this.#error);
    };
    socket.on('error', gone);
    socket.on('end', () => gone());
    socket.on('close', () => gone());
  }

  #read(bytes: Buffer): void {
    const { reader } = this.#asked ?? {};
    try {
      // Nothing was asked: whatever it is, it is no answer.
      if (!reader) this.close();
      else if (reader.push(bytes)) this.#end(undefined);
    } catch (error) {
      this.#end(error as Error);
    }
  }

  /** Ends what is asked; `error`: of the connection, which is closed with it. */
  #end(error: Error | undefined): void {
    const asked = this.#asked;
    if (!asked) return;
    this.#asked = undefined;
    clearTimeout(asked.timer);
    const { status, retryAfter, date, body, canStay, keptForMs } = asked.reader;
    // An answer that came before the request was written is the last one here.
    const isKept = !error && canStay && this.#socket.writableLength === 0;
    if (isKept) {
      this.idleSinceMs = performance.now();
      this.idleMs = Math.min(longestIdleMs, (keptForMs ?? Number.POSITIVE_INFINITY) - spareMs);
    } else this.close();
    if (status === 0) asked.reject(error ?? new Error('connection_reset'));
    else asked.resolve({ status, retryAfter, date, body, isKept });
  }
}
