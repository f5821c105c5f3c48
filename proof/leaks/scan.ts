// Finds canaries in bytes: one pass for all of them, so that gigabytes of log can be read.

import { type Canary, formsOf } from './canaries.ts';

/** Something that was written or sent; `name` says where. */
export type Place = { readonly name: string; readonly bytes: Buffer };
export type Sighting = {
  readonly canary: string;
  readonly form: string;
  readonly place: string;
  readonly offset: number;
};

type Needle = { readonly canary: string; readonly form: string; readonly bytes: Buffer };

const keyBytes = 4;

/** A search for all forms of all canaries; each must have at least eight characters. */
export function scanFor(canaries: readonly Canary[]): (place: Place) => Sighting[] {
  const needles = new Map<number, Needle[]>();
  const starts = new Uint8Array(1 << 16);
  for (const { name, value } of canaries) {
    if (value.length < 8) throw new Error(`${name} is too short to be told from chance`);
    for (const { form, bytes } of formsOf(value)) {
      const key = bytes.readUInt32LE(0);
      starts[key & 0xffff] = 1;
      needles.set(key, [...(needles.get(key) ?? []), { canary: name, form, bytes }]);
    }
  }
  return ({ name, bytes }) => {
    const found: Sighting[] = [];
    for (let offset = 0; offset + keyBytes <= bytes.length; offset++) {
      const pair = (bytes[offset] as number) | ((bytes[offset + 1] as number) << 8);
      if (starts[pair] === 0) continue;
      for (const { canary, form, bytes: wanted } of needles.get(bytes.readUInt32LE(offset)) ?? []) {
        if (wanted.equals(bytes.subarray(offset, offset + wanted.length))) {
          found.push({ canary, form, place: name, offset });
        }
      }
    }
    return found;
  };
}

/**
 * Returns the places that hold every one of the short values, each standing by itself. One value of
 * four digits turns up by chance; all of several turn up only where such values are written.
 */
export function findShort(values: readonly string[], places: readonly Place[]): string[] {
  if (values.length < 3) throw new Error('fewer than three would be found by chance');
  return places
    .filter(({ bytes }) => {
      const text = bytes.toString('latin1');
      return values.every((value) =>
        new RegExp(`(?<![0-9a-zA-Z.])${value}(?![0-9a-zA-Z])`).test(text),
      );
    })
    .map(({ name }) => name);
}
