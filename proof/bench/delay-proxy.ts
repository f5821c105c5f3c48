// Simulates a network on which every response takes one round trip longer: a plain HTTP proxy for
// the browser, so that origins, policies and preflights stay the same. Opening a connection costs
// nothing.

import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Closers } from './load/closers.ts';

export type DelayProxy = {
  readonly proxyUrl: string;
  /** Delays every response by this time from now on. */
  setRoundTrip(ms: number): void;
};

export async function openFarAway(closers: Closers): Promise<DelayProxy> {
  let roundTripMs = 0;
  const serve = (asked: IncomingMessage, answer: ServerResponse): void => {
    setTimeout(() => forward(asked, answer), roundTripMs);
  };
  const server = createServer({ keepAliveTimeout: 60_000 }, serve);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  await closers.add(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    proxyUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    setRoundTrip(ms) {
      roundTripMs = ms;
    },
  };
}

function forward(asked: IncomingMessage, answer: ServerResponse): void {
  const { method, headers } = asked;
  const away = request(asked.url ?? '', { method, headers }, (found) => {
    answer.writeHead(found.statusCode ?? 502, found.rawHeaders);
    found.pipe(answer);
  });
  away.on('error', () => answer.destroy());
  asked.pipe(away);
}
