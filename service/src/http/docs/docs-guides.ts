// The repository's guides, served unchanged as plain text, which every browser shows.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Compressed, compress } from '../wire/compressed.ts';

const folder = join(import.meta.dirname, '../../../../docs/guides');

/** The names of the guides, without their extension. */
export const guideNames: readonly string[] = readdirSync(folder)
  .filter((file) => file.endsWith('.md'))
  .map((file) => file.slice(0, -'.md'.length));

/** Returns a guide, compressed at the first request; undefined when there is none with this name. */
export function openGuides(): (name: string) => Promise<Compressed> | undefined {
  const kept = new Map<string, Promise<Compressed>>();
  return (name) => {
    if (!guideNames.includes(name)) return undefined;
    const known =
      kept.get(name) ??
      compress('text/plain; charset=utf-8', readFileSync(join(folder, `${name}.md`)));
    kept.set(name, known);
    return known;
  };
}
