// Builds the package that merchants install into dist/: `node integrations/vendure/build.ts`.

import { join } from 'node:path';
import { buildPlugin } from '../build-plugin.ts';

/** Writes the publishable package into a folder, which is emptied first. */
export const buildVendurePlugin = (folder: string): Promise<void> =>
  buildPlugin({ here: import.meta.dirname }, folder);

if (import.meta.main) {
  await buildVendurePlugin(join(import.meta.dirname, 'dist'));
  process.stdout.write('integrations/vendure/dist is built\n');
}
