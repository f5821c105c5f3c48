// Free ports for processes that start and stop.

import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

// Below the range that systems give to outgoing connections: otherwise another connection could
// take the port while its process is dead.
const [first, last] = [18_000, 32_000];
const given = new Set<number>();

/** Returns a port on which nobody listens and that this process did not return before. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(first, last);
    if (given.has(port) || !(await canListen(port))) continue;
    given.add(port);
    return port;
  }
}

function canListen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      probe.close(() => resolve(true));
    });
  });
}
