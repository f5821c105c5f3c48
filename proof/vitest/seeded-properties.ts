// The plugin that replaces `fast-check` by `properties.ts` in tests.

import { fileURLToPath } from 'node:url';

const properties = fileURLToPath(new URL('properties.ts', import.meta.url));

export const seededProperties = {
  name: 'seeded-properties',
  enforce: 'pre',
  resolveId: (source: string, importer?: string): string | undefined =>
    source === 'fast-check' && importer !== properties ? properties : undefined,
} as const;
