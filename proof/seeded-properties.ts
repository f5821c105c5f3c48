// The plugin that gives tests `properties.ts` for `fast-check`.

import { fileURLToPath } from 'node:url';

const properties = fileURLToPath(new URL('properties.ts', import.meta.url));

export const seededProperties = {
  name: 'seeded-properties',
  enforce: 'pre',
  resolveId: (source: string, importer?: string): string | undefined =>
    source === 'fast-check' && importer !== properties ? properties : undefined,
} as const;
