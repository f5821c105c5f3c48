// Builds the package that merchants install into dist/: `node integrations/medusa/build.ts`.

import { join } from 'node:path';
import { buildPlugin } from '../build-plugin.ts';

/** Where Medusa looks for what a plugin adds to the shop. */
const place = '.medusa/server/src';

const plugin = {
  here: import.meta.dirname,
  placed: {
    [`${place}/api/middlewares`]: 'plugin/api/middlewares.ts',
    [`${place}/api/store/svc/cards/route`]: 'plugin/api/store/svc/cards/route.ts',
    [`${place}/jobs/settle-payments`]: 'plugin/jobs/settle-payments.ts',
    [`${place}/subscribers/refund-news`]: 'plugin/subscribers/refund-news.ts',
  },
};

/** Writes the publishable package into a folder, which is emptied first. */
export const buildMedusaPlugin = (folder: string): Promise<void> => buildPlugin(plugin, folder);

if (import.meta.main) {
  await buildMedusaPlugin(join(import.meta.dirname, 'dist'));
  process.stdout.write('integrations/medusa/dist is built\n');
}
