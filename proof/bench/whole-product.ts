// Everything that `npm start` starts, for the measures in a browser.

import { freePort } from '@svc/tools/free-port';
import type { Block } from '@svc/tools/start/block';
import { startProduct } from '@svc/tools/start/start-product';
import type { Closers } from './load/closers.ts';

export async function startWholeProduct(closers: Closers): Promise<Block> {
  const port = String(await freePort());
  // Detached, so that Ctrl-C reaches only this process, which then stops the child in order.
  const product = startProduct(['--no-demo-data', '--port', port], {
    detached: true,
    stderr: 'ignore',
  });
  await closers.add(() => product.stop());
  return product.ready;
}
