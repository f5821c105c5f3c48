// A planted change whose text the sources no longer have would end the proof after half an hour.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { plantedFaults } from './faults.ts';

const root = join(import.meta.dirname, '../..');
const changes = plantedFaults.flatMap(({ name, changes: all }) =>
  all.map((change) => ({ name, ...change })),
);

it('each planted change fits its file at one place', () => {
  const misfits = changes.flatMap(({ name, file, from }) => {
    const places = readFileSync(join(root, file), 'utf8').split(from).length - 1;
    return places === 1 ? [] : [`${name}: ${places} places in ${file}`];
  });
  expect(misfits).toEqual([]);
  expect(changes.length).toBeGreaterThan(plantedFaults.length);
});

// A change that calls what the file does not have ends in a ReferenceError. That is caught too, but
// shows nothing about the fault.
it('each planted change calls only what its file has', () => {
  const keywords = ['if', 'for', 'while', 'switch', 'catch', 'return', 'await', 'async'];
  const ofSql = ['svc_clock', 'substr'];
  const unknown = changes.flatMap(({ name, file, to }) => {
    const text = readFileSync(join(root, file), 'utf8');
    const called = [...to.matchAll(/(?<![.\w$])([A-Za-z_$][\w$]*)\(/g)].map(
      ([, found = '']) => found,
    );
    const isKnown = (one: string) =>
      [...keywords, ...ofSql].includes(one) ||
      one in globalThis ||
      new RegExp(`(?<![.\\w$])${one}\\(|\\bimport [^;']*\\b${one}\\b`).test(text);
    return called.filter((one) => !isKnown(one)).map((one) => `${name}: ${one} in ${file}`);
  });
  expect(unknown).toEqual([]);
});
