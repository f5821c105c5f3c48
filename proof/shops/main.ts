// The cases of one shop, plugin and name: node proof/shops/main.ts [SHOP] [PLUGIN] [PATTERN]
// SVC_SHOP_LOG=1 prints the shop's log at the end, SVC_SHOPS_CACHE is where shops are installed.

import { runShops } from './run-shops.ts';

const [shop = '', plugin = '', words = ''] = process.argv.slice(2);
const { violations, notRun } = await runShops(
  { signal: new AbortController().signal, onProgress: () => undefined },
  { shop, plugin, words, say: (line) => console.log(line) },
);
if (notRun) console.error(notRun);
process.exitCode = violations.length > 0 ? 1 : notRun ? 2 : 0;
