// A merchant's rate limit in front of a running service: closing and opening the service again
// would make it unreachable in between.

import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** Forwards GET to the service at `port` on loopback; answers 429 after `limit(true)`. */
export async function aLimit(port: number) {
  let isMet = false;
  const server = http.createServer(({ url = '/', headers }, response) => {
    if (isMet) {
      response.writeHead(429, { 'retry-after': '60' }).end('{"code":"rate_limited"}');
      return;
    }
    http.get({ port, path: url, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    limit(met: boolean) {
      isMet = met;
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
