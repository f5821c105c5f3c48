// The plugin that applies the changes of `PLANTED_CHANGES` to vitest's modules, before types are
// removed.

import type { Plugin } from 'vitest/config';
import { isChanged, plantFaultIn } from './changes.ts';

const pathOf = (id: string): string => id.split('?')[0] ?? id;

export const plantedChanges: Plugin = {
  name: 'planted-changes',
  enforce: 'pre',
  // Vitest caches transformed modules between runs, by the text of their files.
  configureVitest: ({ defineCacheKeyGenerator }) =>
    defineCacheKeyGenerator(({ id }) => (isChanged(pathOf(id)) ? false : undefined)),
  transform: (code, id) => plantFaultIn(pathOf(id), () => code),
};
