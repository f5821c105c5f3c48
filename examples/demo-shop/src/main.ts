// Starts the demo shop and prints one line of JSON when it is ready.

import type { AddressInfo } from 'node:net';
import { readConfig } from './config.ts';
import { createShopServer } from './server.ts';
import { Store } from './store.ts';

try {
  const config = readConfig(process.env);
  const store = new Store(config.file);
  const server = createShopServer(config, store, (line) => console.error(line));
  server.on('error', (error: NodeJS.ErrnoException) => {
    const isBusy = error.code === 'EADDRINUSE';
    console.error(isBusy ? `Port ${config.port} is taken: set PORT to another.` : error.message);
    process.exitCode = 1;
  });
  server.listen(config.port, config.host, () => {
    const { port } = server.address() as AddressInfo;
    const isAny = ['0.0.0.0', '::'].includes(config.host);
    const host = isAny ? '127.0.0.1' : config.host.includes(':') ? `[${config.host}]` : config.host;
    console.log(JSON.stringify({ ready: true, url: `http://${host}:${port}` }));
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      server.close();
      server.closeIdleConnections();
      setTimeout(() => server.closeAllConnections(), 2_000).unref();
    });
  }
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
