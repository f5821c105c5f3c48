// Open sockets of a listening server: limits how many one address holds, and closes those whose reader has
// stopped. Shared by service and vault. Contract §10.

import { networkOfAddress } from './network.ts';

/** The parts of `net.Socket` that are used here. */
type Socket = {
  readonly remoteAddress?: string | undefined;
  readonly bytesWritten: number;
  readonly writableLength: number;
  /** Bytes of the current write that the kernel has not accepted yet. */
  readonly _handle?: { readonly writeQueueSize?: number } | null;
  once(event: 'end' | 'close', listener: () => void): unknown;
  resume(): unknown;
  end(text: string): unknown;
  destroy(): unknown;
  destroySoon(): unknown;
};

type Server = {
  maxConnections: number;
  on(event: 'connection', listener: (socket: Socket) => void): unknown;
};

const lingerMs = 500;

/**
 * Writes a response and ends the connection. The socket is destroyed as soon as the peer has ended its side
 * too, and after half a second at the latest.
 */
export function writeAndEnd(socket: Socket, text: string): void {
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(timer));
  socket.once('end', () => socket.destroySoon());
  socket.end(text);
  // Closing a socket with unread bytes sends a reset, and the peer then discards the response.
  socket.resume();
}

/** Resolves when the event loop has read all sockets once more. */
const nextRead = (): Promise<void> =>
  new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

const mostAcceptMs = 500;

type Listening = {
  closeIdleConnections(): void;
  closeAllConnections(): void;
  on(event: 'connection', listener: () => void): unknown;
  off(event: 'connection', listener: () => void): unknown;
};

/**
 * Ends listening without resetting a connection that was not accepted yet: its request may have arrived, and
 * Node accepts one connection in each turn of the event loop. The caller holds answers back meanwhile, because
 * whoever is answered comes again at once. Connections stay open.
 */
async function endListening<Server extends Listening>(
  servers: readonly Server[],
  closeListener: (this: Server) => unknown,
): Promise<void> {
  const until = performance.now() + mostAcceptMs;
  let accepted = 0;
  const count = () => {
    accepted += 1;
  };
  for (const server of servers) server.on('connection', count);
  for (let before = -1; accepted > before && performance.now() < until; ) {
    before = accepted;
    await nextRead();
  }
  for (const server of servers) {
    server.off('connection', count);
    closeListener.call(server);
  }
}

/**
 * Closes the idle connections of servers that no longer listen. Waits `lingerMs` first: until a new connection is
 * refused, a proxy such as nginx does not know that the process is ending and sends requests on the connections
 * that it keeps open. Reads once more before it closes: closing a socket with unread bytes resets it, and on a
 * busy machine these bytes are a request.
 */
async function endIdle(servers: readonly Listening[], lingerMs: number): Promise<void> {
  if (lingerMs > 0) await new Promise((resolve) => setTimeout(resolve, lingerMs));
  await nextRead();
  for (const server of servers) server.closeIdleConnections();
}

/** Holds requests back while a server stops listening. */
export class Hold {
  #release: (() => void) | null = null;
  #released: Promise<void> = Promise.resolve();

  /** Resolves at the release; null when nothing is held. */
  get waiting(): Promise<void> | null {
    return this.#release && this.#released;
  }

  async during(work: () => Promise<void>): Promise<void> {
    this.#released = new Promise((resolve) => {
      this.#release = resolve;
    });
    try {
      await work();
    } finally {
      this.#release?.();
      this.#release = null;
    }
  }
}

type Ending<Server> = {
  /** `net.Server.prototype.close`: that of an HTTP server would close idle connections too. */
  readonly closeListener: (this: Server) => unknown;
  readonly hold: Hold;
  /** How long running requests may take before their connections are cut. */
  readonly drainMs: number;
  /** How long kept connections serve after the end of listening. */
  readonly lingerMs: number;
  /** Waits for running requests, and closes what is left. */
  readonly finish: () => Promise<unknown>;
};

/** Ends servers: nothing that has arrived is lost, and no connection holds the end up for longer than `drainMs`. */
export async function endServing<Server extends Listening>(
  servers: readonly Server[],
  { closeListener, hold, drainMs, lingerMs, finish }: Ending<Server>,
): Promise<void> {
  const until = performance.now() + drainMs;
  await hold.during(() => endListening(servers, closeListener));
  // Not earlier: the cut would miss connections that are accepted while listening ends.
  const cut = setTimeout(
    () => {
      for (const server of servers) server.closeAllConnections();
    },
    Math.max(0, until - performance.now()),
  );
  await endIdle(servers, lingerMs);
  await finish();
  clearTimeout(cut);
}

export type SocketLimits = {
  /** Most open sockets of one address; null when every visitor comes through one proxy. */
  readonly mostOfAddress: number | null;
  /** Most open sockets of all addresses. */
  readonly most: number;
  /** How long in milliseconds a reader may accept nothing of its response. */
  readonly stallMs?: number;
  /** Called for each connection over the limit of its address. */
  readonly onTooMany?: () => void;
};

/** How many times within `stallMs` the guard checks for stalled readers. */
const looks = 6;

/** The sockets of one or several servers of a process. */
export class SocketGuard {
  readonly #limits: SocketLimits;
  readonly #open = new Map<Socket, { taken: string; still: number }>();
  readonly #counts = new Map<string, number>();
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(limits: SocketLimits) {
    this.#limits = limits;
  }

  watch(server: Server): void {
    server.maxConnections = this.#limits.most;
    server.on('connection', (socket) => this.#meet(socket));
  }

  #meet(socket: Socket): void {
    const { mostOfAddress, onTooMany } = this.#limits;
    const key = mostOfAddress === null ? 'all' : networkOfAddress(socket.remoteAddress ?? '');
    const count = this.#counts.get(key) ?? 0;
    if (mostOfAddress !== null && count >= mostOfAddress) {
      socket.destroy();
      onTooMany?.();
      return;
    }
    this.#counts.set(key, count + 1);
    this.#open.set(socket, { taken: '', still: 0 });
    socket.once('close', () => this.#leave(socket, key));
    this.#timer ??= this.#startLooking();
  }

  #leave(socket: Socket, key: string): void {
    this.#open.delete(socket);
    const left = (this.#counts.get(key) ?? 0) - 1;
    if (left > 0) this.#counts.set(key, left);
    else this.#counts.delete(key);
    if (this.#open.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #startLooking(): ReturnType<typeof setInterval> {
    const { stallMs = 30_000 } = this.#limits;
    const timer = setInterval(() => this.#endStalled(), stallMs / looks);
    timer.unref();
    return timer;
  }

  /** A long response that is read slowly continues; a connection that accepts no more bytes is closed. */
  #endStalled(): void {
    for (const [socket, seen] of this.#open) {
      const taken = `${socket.bytesWritten - socket.writableLength}-${socket._handle?.writeQueueSize}`;
      const isStill = socket.writableLength > 0 && taken === seen.taken;
      seen.still = isStill ? seen.still + 1 : 0;
      seen.taken = taken;
      if (seen.still >= looks) socket.destroy();
    }
  }
}

/** File descriptors kept free for the database, the provider, deliveries and files. */
const reserved = 100;

/**
 * Returns how many sockets a process may keep open, in total and per address, from its file descriptors.
 * `limits` is the text of `/proc/self/limits`, undefined where there is none. `wanted` is the limit per
 * address.
 */
export function socketRoom(
  limits: string | undefined,
  wanted: number | null,
): Pick<SocketLimits, 'most' | 'mostOfAddress'> {
  const descriptors = Number(/^Max open files\s+(\d+)/m.exec(limits ?? '')?.[1] ?? 1024);
  const most = Math.max(32, descriptors - reserved);
  // One address alone can never take every socket.
  const mostOfAddress = wanted === null ? null : Math.min(wanted, Math.floor(most / 2));
  return { most, mostOfAddress };
}
