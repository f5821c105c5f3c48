import { expect, test } from 'vitest';
import { pooled } from './random-pool.ts';

/** A random source that fills each draw with the number of that draw. */
function createCountingDraw() {
  const sizes: number[] = [];
  const draw = (size: number) => Buffer.alloc(size, sizes.push(size));
  return { sizes, draw };
}

test('no byte is given out twice, and the source is asked once for many', () => {
  let next = 0;
  const draw = (size: number) => Buffer.from(Array.from({ length: size }, () => next++ % 251));
  const random = pooled(draw);
  const given = Array.from({ length: 200 }, (_, n) => random([8, 12, 16, 32][n % 4] ?? 8));
  const places = given.map((bytes) => `${bytes.buffer === given[0]?.buffer} ${bytes.byteOffset}`);
  expect(given.map(({ length }) => length).slice(0, 4)).toEqual([8, 12, 16, 32]);
  expect(new Set(places.filter((place) => place.startsWith('true'))).size).toBe(
    places.filter((place) => place.startsWith('true')).length,
  );
  expect(next / 1024).toBeLessThan(5);
});

test('what would not fit is drawn whole: no slice is short', () => {
  const { sizes, draw } = createCountingDraw();
  const random = pooled(draw);
  for (let n = 0; n < 40; n++) expect(random(60)).toHaveLength(60);
  expect(sizes).toEqual([1024, 1024, 1024]);
  // All bytes of a slice come from one draw.
  expect(new Set(random(60)).size).toBe(1);
});

test('large wants are drawn by themselves and leave the pool as it is', () => {
  const { sizes, draw } = createCountingDraw();
  const random = pooled(draw);
  random(8);
  expect([...new Set(random(4096))]).toEqual([2]);
  expect([...new Set(random(8))]).toEqual([1]);
  expect(sizes).toEqual([1024, 4096]);
});
