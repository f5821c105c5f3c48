// The page of metrics on a port of its own, for a collector such as Prometheus. Service and vault serve it alike.
import http from 'node:http';
import type { AddressInfo } from 'node:net';

export type MetricsPage = {
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  readonly contentType: string;
  /** Returns the text of the page. A rejection is answered with 503. */
  read(): Promise<string>;
};

export type MetricsServer = { readonly port: number; close(): Promise<void> };

/**
 * Serves `GET /metrics`, and 404 for all else. Rejects when the port cannot be listened on. The page
 * names no buyer and no secret, and asks for no credential: the port is for the operator's own network.
 */
export async function serveMetrics(page: MetricsPage): Promise<MetricsServer> {
  const server = http.createServer((request, response) => {
    const isAsked = request.method === 'GET' && request.url?.split('?')[0] === '/metrics';
    if (!isAsked) {
      response.writeHead(404).end();
      return;
    }
    page.read().then(
      (text) => response.writeHead(200, { 'content-type': page.contentType }).end(text),
      () => response.writeHead(503).end(),
    );
  });
  // Nothing waits for a collector when the process ends.
  server.unref();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject).listen(page.port, page.host, resolve);
  await promise;
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}
