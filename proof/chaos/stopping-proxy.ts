// A proxy in a connection: it forwards bytes between two processes, copies them on request, and can
// hold one request or response, so that a process is killed exactly at that point.

import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export type Place = { readonly port: number; readonly host?: string } | { readonly path: string };
export type Direction = 'requests' | 'answers';

/** Bytes that the proxy holds. */
export type HeldBytes = {
  /** Forwards the bytes, also when their sender has died. */
  forward(): void;
  /** Drops the bytes and closes the connection. */
  lose(): void;
};

export type StoppingProxy = {
  readonly port: number;
  /**
   * Holds the next request that contains `text`, or the response to it; resolves once the proxy
   * holds it.
   */
  holdNext(side: Direction, text: string): Promise<HeldBytes>;
  close(): Promise<void>;
};

type WatchedBytes = {
  readonly side: Direction;
  readonly text: string;
  readonly resolve: (held: HeldBytes) => void;
};

export type StoppingProxyOptions = {
  /** The target; a function is called for each connection. */
  readonly to: Place | (() => Place);
  /** The address to listen at; a free port on the loopback interface by default. */
  readonly at?: Place;
  /** Receives all bytes; `connection` identifies their connection. */
  readonly record?: (side: Direction, bytes: Buffer, connection: number) => void;
};

const lateMs = 2000;

export async function openStoppingProxy(options: StoppingProxyOptions): Promise<StoppingProxy> {
  const wanted: WatchedBytes[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const to = typeof options.to === 'function' ? options.to() : options.to;
    const far = connect({ ...to, allowHalfOpen: true });
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.once('close', () => sockets.delete(socket));
    }
    const connection = ++connections;
    forwardBytes({
      near,
      far,
      wanted,
      record: (side, bytes) => options.record?.(side, bytes, connection),
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.at ?? { port: 0, host: '127.0.0.1' }, resolve);
  });
  const address = server.address();
  return {
    port: typeof address === 'object' ? ((address as AddressInfo | null)?.port ?? 0) : 0,
    holdNext: (side, text) =>
      new Promise((resolve) => {
        wanted.push({ side, text, resolve });
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

type Pair = {
  readonly near: Socket;
  readonly far: Socket;
  readonly wanted: WatchedBytes[];
  readonly record: (side: Direction, bytes: Buffer) => void;
};

function forwardBytes({ near, far, wanted, record }: Pair): void {
  /** The bytes of a side that is held; undefined while they are forwarded. */
  const stopped: Record<Direction, Buffer[] | undefined> = {
    requests: undefined,
    answers: undefined,
  };
  const ends = { requests: far, answers: near };
  let awaited: WatchedBytes | undefined;

  const stopSide = (side: Direction, { resolve }: WatchedBytes) => {
    stopped[side] = [];
    resolve({
      forward: () => {
        const bytes = Buffer.concat(stopped[side] ?? []);
        stopped[side] = undefined;
        if (!ends[side].destroyed) ends[side].write(bytes);
      },
      lose: () => {
        near.destroy();
        far.destroy();
      },
    });
  };
  near.on('data', (bytes: Buffer) => {
    record('requests', bytes);
    const index = wanted.findIndex(({ text }) => bytes.includes(text));
    const [found] = index < 0 ? [] : wanted.splice(index, 1);
    if (found?.side === 'requests') stopSide('requests', found);
    else awaited = found ?? awaited;
    if (stopped.requests) stopped.requests.push(bytes);
    else far.write(bytes);
  });
  far.on('data', (bytes: Buffer) => {
    record('answers', bytes);
    if (awaited) stopSide('answers', awaited);
    awaited = undefined;
    if (stopped.answers) stopped.answers.push(bytes);
    else near.write(bytes);
  });
  // Bytes of a dead sender may still arrive: held bytes outlive their sender for a while.
  const closeOther = (other: Socket, isWaiting: () => boolean) => () => {
    if (!isWaiting()) other.destroy();
    else setTimeout(() => other.destroy(), lateMs).unref();
  };
  for (const socket of [near, far]) socket.on('error', () => socket.destroy());
  near.once(
    'close',
    closeOther(far, () => stopped.requests !== undefined),
  );
  far.once(
    'close',
    closeOther(near, () => stopped.answers !== undefined),
  );
  near.once('end', () => void (stopped.requests ?? far.end()));
  far.once('end', () => void (stopped.answers ?? near.end()));
}
