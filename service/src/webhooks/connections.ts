// Kept connections. Each belongs to one endpoint and one URL, and is never used for another. It
// carries one request at a time, and is given up when its addresses were judged too long ago.
import type { Connection } from './connection.ts';

/**
 * After this time, in milliseconds, the name is resolved and its addresses are judged again, on a
 * new connection.
 */
const longestUseMs = 30_000;
const mostIdle = 1000;
const lookMs = 1000;

export type Connections = {
  /** Takes out a connection that is free and may be used. */
  take(key: string): Connection | undefined;
  /** Puts a connection back after its use. */
  keep(key: string, connection: Connection): void;
};

export function keepConnections(): Connections {
  const idle = new Map<string, Connection[]>();
  let count = 0;
  let isWatched = false;

  const isFit = (connection: Connection): boolean =>
    connection.isFree && performance.now() - connection.openedAtMs < longestUseMs;

  const isIdleTooLong = ({ idleSinceMs, idleMs }: Connection): boolean =>
    performance.now() - idleSinceMs >= idleMs;

  const watch = () => {
    isWatched = true;
    setTimeout(closeIdle, lookMs).unref();
  };

  /** Closes connections that were idle for too long, and forgets those that the receiver has closed. */
  const closeIdle = () => {
    isWatched = false;
    for (const [key, list] of idle) {
      const left = list.filter((each) => each.isFree && !isIdleTooLong(each));
      for (const each of list) if (!left.includes(each)) each.close();
      count -= list.length - left.length;
      if (left.length === 0) idle.delete(key);
      else idle.set(key, left);
    }
    if (idle.size > 0) watch();
  };

  return {
    take(key) {
      const list = idle.get(key);
      // The newest is used first, so that connections that are not needed grow old and are closed.
      for (let last = list?.pop(); last; last = list?.pop()) {
        count -= 1;
        if (isFit(last) && !isIdleTooLong(last)) return last;
        last.close();
      }
      idle.delete(key);
      return undefined;
    },
    keep(key, connection) {
      if (!isFit(connection) || connection.idleMs <= 0 || count >= mostIdle) {
        return connection.close();
      }
      const list = idle.get(key);
      if (list) list.push(connection);
      else idle.set(key, [connection]);
      count += 1;
      if (!isWatched) watch();
    },
  };
}
