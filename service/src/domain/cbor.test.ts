import { describe, expect, it } from 'vitest';
import { CborMalformed, readCbor } from './cbor.ts';

const read = (hex: string) => readCbor(Buffer.from(hex, 'hex'));

describe('readCbor', () => {
  // RFC 8949, appendix A.
  it.each([
    ['00', 0],
    ['17', 23],
    ['1818', 24],
    ['1903e8', 1000],
    ['1a000f4240', 1_000_000],
    ['20', -1],
    ['3863', -100],
    ['3903e7', -1000],
    ['f4', false],
    ['f5', true],
    ['f6', null],
    ['6449455446', 'IETF'],
    ['62c3bc', 'ü'],
  ])('%s', (hex, value) => {
    expect(read(hex)).toEqual({ value, length: hex.length / 2 });
  });

  it('reads bytes, arrays and maps, and says where they end', () => {
    expect(read('4401020304ff')).toEqual({ value: Uint8Array.of(1, 2, 3, 4), length: 5 });
    expect(read('83010203').value).toEqual([1, 2, 3]);
    expect(read('a201020304').value).toEqual(
      new Map([
        [1, 2],
        [3, 4],
      ]),
    );
  });

  it.each([
    ['nothing', ''],
    ['a cut string', '6449'],
    ['a length beyond the end', '5affffffff'],
    ['a 64-bit length', '1b000000e8d4a51000'],
    ['an open array', '9f01ff'],
    ['a float', 'f93c00'],
    ['a tag', 'c11a514b67b0'],
    ['a key twice', 'a201020103'],
    ['an array of four thousand million', '9affffffff'],
    ['depth', `${'81'.repeat(20)}00`],
    ['a text that is none', '62ffff'],
  ])('refuses %s', (_, hex) => {
    expect(() => read(hex)).toThrow(CborMalformed);
  });
});
