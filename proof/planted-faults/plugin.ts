// The plugin that gives vitest's modules the changes of `PLANTED_CHANGES`, before types are taken out.

import type { Plugin } from 'vitest/config';
import { isChanged, plantInto } from './changes.ts';

const pathOf = (id: string): string => id.split('?')[0] ?? id;

export const plantedChanges: Plugin = {
  name: 'planted-changes',
  enforce: 'pre',
  // Vitest keeps transformed modules between runs, by the text of their files.
  configureVitest: ({ defineCacheKeyGenerator }) =>
    defineCacheKeyGenerator(({ id }) => (isChanged(pathOf(id)) ? false : undefined)),
  transform: (code, id) => plantInto(pathOf(id), () => code),
};
