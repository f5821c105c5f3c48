// A real HTTP server whose responses a test plans in order; it records the requests.

import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Svc, type SvcOptions } from '../src/index.ts';

/** The library, except that it repeats a call almost at once. */
export const ImpatientSvc = class extends (Svc as unknown as new (
  key: string,
  options: SvcOptions,
  firstWaitMs: number,
) => Svc) {
  constructor(key: string, options: SvcOptions = {}) {
    super(key, options, 1);
  }
};

export type RecordedRequest = {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
};

export type Planned =
  | { status: number; body?: unknown; text?: string; headers?: Record<string, string> }
  /** Reads the request, then cuts the connection: the response is lost. */
  | 'cut'
  /** Never responds. */
  | 'hang';

/** Starts the server; the last planned response is repeated. */
export async function startWire(...plan: Planned[]) {
  const asked: RecordedRequest[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { method = '', url: path = '', headers } = request;
    asked.push({ method, path, headers, body });
    const planned = plan[Math.min(asked.length, plan.length) - 1];
    if (planned === 'hang') return;
    if (planned === 'cut' || planned === undefined) {
      request.socket.destroy();
      return;
    }
    response.writeHead(planned.status, { 'request-id': `req_${asked.length}`, ...planned.headers });
    const text = planned.body === undefined ? '' : JSON.stringify(planned.body);
    response.end(planned.text ?? text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
