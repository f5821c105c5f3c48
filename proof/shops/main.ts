// Runs the table of cases on shops from npm: node proof/shops/main.ts [SHOP] [PLUGIN] [WORDS OF A CASE]

import { caseNames } from './cases.ts';
import type { ShopAdapter } from './shop.ts';

/** One file each. */
const adapters: readonly ShopAdapter[] = [];

const [wanted = ''] = process.argv.slice(2);
const names = adapters.map(({ name }) => name);
console.log(`shops: ${names.filter((name) => name.includes(wanted)).join(', ') || 'none yet'}`);
console.log(`cases:\n${caseNames.map((name) => `  ${name}`).join('\n')}`);
