// A planted change whose text the sources no longer have would end the proof after half an hour.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { plantedFaults } from './faults.ts';

const root = join(import.meta.dirname, '../..');
const changes = plantedFaults.flatMap(({ name, changes: all }) =>
  all.map(({ file, from }) => ({ name, file, from })),
);

it('each planted change fits its file at one place', () => {
  const misfits = changes.flatMap(({ name, file, from }) => {
    const places = readFileSync(join(root, file), 'utf8').split(from).length - 1;
    return places === 1 ? [] : [`${name}: ${places} places in ${file}`];
  });
  expect(misfits).toEqual([]);
  expect(changes.length).toBeGreaterThan(plantedFaults.length);
});
