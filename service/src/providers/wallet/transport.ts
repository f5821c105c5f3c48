// HTTP to one wallet: pooled sockets, TLS except to this machine, no redirects, responses of at
// most 256 KiB within the call's time, and errors that state whether a request can have reached the
// wallet.

import assert from 'node:assert';
import { isLoopbackHost } from '@svc/contract/servers/loopback';
import Pool from 'undici/lib/dispatcher/pool.js';
import { type ReceivedAnswer, sendAndRead } from '../sending/ask.ts';
import { throwIfNeverSent } from '../sending/never-sent.ts';

const mostBytes = 256 * 1024;

export type Exchange = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
};

export type Response = {
  readonly status: number;
  readonly text: string;
  readonly requestId: string | null;
};

export type Transport = {
  readonly origin: string;
  /** Rejects with `NeverSent` when nothing can have arrived. */
  send(exchange: Exchange, timeoutMs: number): Promise<Response>;
  close(): Promise<void>;
};

export function openTransport(settings: {
  readonly url: string;
  readonly connections: number;
  readonly connectMs: number;
}): Transport {
  const url = new URL(settings.url);
  assert(
    url.protocol === 'https:' || isLoopbackHost(url.hostname),
    'the wallet is reached over TLS',
  );
  const pool = new Pool(url.origin, {
    connections: settings.connections,
    connect: { timeout: settings.connectMs },
    maxResponseSize: mostBytes,
  });
  return {
    origin: url.origin,
    send: async (exchange, timeoutMs) => {
      try {
        return readResponse(await sendAndRead(pool, exchange, timeoutMs));
      } catch (error) {
        throwIfNeverSent(error);
        throw error;
      }
    },
    close: () => pool.close(),
  };
}

function readResponse({ status, headers, text }: ReceivedAnswer): Response {
  const id = headers['paypal-debug-id'];
  return { status, text, requestId: typeof id === 'string' ? id : null };
}
