// The cheapest possible receiver of deliveries: raw sockets that answer 200 at once. Requests to
// `/hole` are never answered. It notifies its parent when the expected number has arrived.

import { createServer, type Socket } from 'node:net';
import { readRequests } from './raw-requests.ts';

type ExpectMessage = { readonly expect: number };

const ok = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n';
let expected = 0;
let count = 0;
let firstMs = 0;
/** The event and wall-clock time of each arrival, recorded only for small numbers. */
let arrivals: [id: string, atMs: number][] = [];

const nowMs = () => performance.timeOrigin + performance.now();

function arrive(head: string): void {
  if (count === 0) firstMs = nowMs();
  count += 1;
  if (expected <= 5000) arrivals.push([/\r\nwebhook-id: *(\S+)/i.exec(head)?.[1] ?? '', nowMs()]);
  if (count !== expected) return;
  process.send?.({ count, ms: nowMs() - firstMs, arrivals });
}

const serve = (socket: Socket): void =>
  readRequests(socket, (head) => {
    if (head.startsWith('POST /hole')) return;
    socket.write(ok);
    arrive(head);
  });

process.on('message', ({ expect }: ExpectMessage) => {
  expected = expect;
  count = 0;
  arrivals = [];
  process.send?.({ isReady: true });
});
process.on('disconnect', () => process.exit(0));

const server = createServer(serve);
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.({ port: typeof address === 'object' ? address?.port : 0 });
});
