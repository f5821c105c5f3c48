// Ports for processes that come and go.

import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

// Below the range that systems give to outgoing connections: else a stranger's connection takes the
// port while its process is dead.
const [first, last] = [18_000, 32_000];
const given = new Set<number>();

/** A port that nobody listens on, and that this process was not given before. */
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
