// Kept connections. One belongs to one endpoint and one URL and is never lent to another; it carries
// one request at a time and is given up when its addresses were judged too long ago.
import net from 'node:net';
import tls from 'node:tls';
import type { buildConnector } from 'undici';
import Client from 'undici/lib/dispatcher/client.js';
import { pinnedLookup } from './pinned-lookup.ts';
import type { Target } from './target.ts';

export const maxAnswerBytes = 16 * 1024;

/** Then the name is asked and its addresses judged anew, on a new connection. */
const longestUseMs = 30_000;
/** Shorter than what common servers wait. */
const idleMs = 4000;
const mostIdle = 1000;

export type Connection = {
  readonly client: Client;
  /** Of the URL, with its query. */
  readonly path: string;
  readonly openedAtMs: number;
  /** A request has been answered on it: the receiver may close it at any moment, unasked. */
  isUsed: boolean;
  isGone: boolean;
};

/** Opens one to the judged addresses; the name is not asked again. */
export function openConnection({ url, addresses }: Target, connectMs: number): Connection {
  let isOpened = false;
  const connect: buildConnector.connector = (_, answer) => {
    // What was closed stays closed: its addresses were judged for one connection.
    if (isOpened) return answer(new Error('connection_reset'), null);
    isOpened = true;
    connectTo({ url, addresses }, connectMs, answer);
  };
  const client = new Client(url.origin, {
    connect,
    pipelining: 1,
    maxHeaderSize: maxAnswerBytes,
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: idleMs,
    keepAliveMaxTimeout: idleMs,
    allowH2: false,
  });
  const path = url.pathname + url.search;
  const connection = { client, path, openedAtMs: performance.now(), isUsed: false, isGone: false };
  client.on('disconnect', () => {
    connection.isGone = true;
  });
  return connection;
}

function connectTo(
  { url, addresses }: Target,
  connectMs: number,
  answer: Parameters<buildConnector.connector>[1],
): void {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isSecure = url.protocol === 'https:';
  const options = {
    host,
    port: Number(url.port || (isSecure ? 443 : 80)),
    lookup: pinnedLookup(addresses),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: 1000,
  };
  const socket = isSecure
    ? tls.connect({
        ...options,
        ...(net.isIP(host) ? {} : { servername: host.replace(/\.$/, '') }),
        ALPNProtocols: ['http/1.1'],
        minVersion: 'TLSv1.2',
        rejectUnauthorized: true,
      })
    : net.connect(options);
  socket.setNoDelay(true);
  const timer = setTimeout(() => socket.destroy(new Error('connect_timeout')), connectMs);
  const fail = (error: Error) => {
    clearTimeout(timer);
    answer(error, null);
  };
  const close = () => fail(new Error('connection_reset'));
  socket.once('error', fail);
  socket.once('close', close);
  socket.once(isSecure ? 'secureConnect' : 'connect', () => {
    clearTimeout(timer);
    socket.off('error', fail);
    socket.off('close', close);
    answer(null, socket);
  });
}

export type Connections = {
  /** One that is free and fit, taken out. */
  take(key: string): Connection | undefined;
  /** Puts one back after its use. */
  keep(key: string, connection: Connection): void;
};

export function keepConnections(): Connections {
  const idle = new Map<string, Connection[]>();
  let count = 0;

  const isFit = ({ isGone, openedAtMs, client }: Connection) =>
    !isGone && !client.destroyed && performance.now() - openedAtMs < longestUseMs;

  const drop = (connection: Connection) => void connection.client.destroy().catch(() => undefined);

  const forget = (key: string, connection: Connection) => {
    const list = idle.get(key);
    const at = list?.indexOf(connection) ?? -1;
    if (!list || at < 0) return;
    list.splice(at, 1);
    count -= 1;
    if (list.length === 0) idle.delete(key);
  };

  return {
    take(key) {
      for (;;) {
        // The newest first, so that those that are not needed grow old and close.
        const connection = idle.get(key)?.at(-1);
        if (!connection) return undefined;
        forget(key, connection);
        if (isFit(connection)) return connection;
        drop(connection);
      }
    },
    keep(key, connection) {
      if (!isFit(connection) || count >= mostIdle) return drop(connection);
      const list = idle.get(key) ?? [];
      idle.set(key, list);
      list.push(connection);
      count += 1;
      if (connection.isUsed) return;
      connection.isUsed = true;
      // The receiver closed it, or it was idle for too long. What was asked of it just then is not
      // thrown away with it: that meets the end of the connection, and is sent again.
      connection.client.once('disconnect', () => forget(key, connection));
    },
  };
}
