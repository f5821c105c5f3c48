import { createServer } from 'node:net';

const names = ['api', 'cardForm', 'sandbox', 'demoShop', 'vaultInternal'] as const;
export type PortName = (typeof names)[number];
export type Ports = Readonly<Record<PortName, number>>;

/** Finds free ports from `first`, one for each process. `say` receives a line about those in use. */
export async function findPorts(first: number, say: (line: string) => void): Promise<Ports> {
  const found: Partial<Record<PortName, number>> = {};
  let next = first;
  for (const name of names) {
    const wanted = next;
    while (!(await isFree(next))) {
      next += 1;
      if (next > 65_535 || next > wanted + 200) {
        throw new Error(`No free port between ${wanted} and ${next - 1}. Try --port N.`);
      }
    }
    if (next !== wanted) say(`port ${wanted} is taken, using ${next}`);
    found[name] = next;
    next += 1;
  }
  return found as Ports;
}

// `localhost` may mean IPv4 or IPv6, so a port counts as free only when both are.
async function isFree(port: number): Promise<boolean> {
  return (await canListen(port, '127.0.0.1')) && (await canListen(port, '::1'));
}

function canListen(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code !== 'EADDRINUSE' && error.code !== 'EACCES'),
    );
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
