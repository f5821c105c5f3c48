// The button in the merchant's colour: whatever colour it is, what stands on it can be read.

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { brandOf } from './brand.ts';

/** Computes the contrast by WCAG 2.2, without the code under test. */
function ratio(one: string, other: string): number {
  const shade = (hex: string) => {
    const channel = (at: number) => {
      const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    };
    return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
  };
  const [a, b] = [shade(one), shade(other)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

const aColor = fc
  .integer({ min: 0, max: 0xffffff })
  .map((value) => `#${value.toString(16).padStart(6, '0')}`);
/**
 * Colours on which black and white are about equally readable: the choice must be right for them
 * too.
 */
const anyGrey = fc
  .integer({ min: 0, max: 255 })
  .map((value) => `#${value.toString(16).padStart(2, '0').repeat(3)}`);

it('every colour: the text has the contrast of AA at rest, under the pointer and while it waits', () => {
  void fc.assert(
    fc.property(fc.oneof(aColor, anyGrey), (color) => {
      const brand = brandOf(color);
      if (!brand) throw new Error('is a colour');
      expect(brand['--brand']).toBe(color);
      for (const under of ['--brand', '--brand-deep', '--brand-pale'] as const) {
        expect(ratio(brand['--on-brand'], brand[under])).toBeGreaterThanOrEqual(4.5);
      }
    }),
    { numRuns: 5000 },
  );
});

it('every colour: a button that hardly differs from its panel has an edge', () => {
  void fc.assert(
    fc.property(fc.oneof(aColor, anyGrey), (color) => {
      const brand = brandOf(color);
      for (const [edge, panel] of [
        [brand?.['--brand-edge-light'], '#ffffff'],
        [brand?.['--brand-edge-dark'], '#171b22'],
      ] as const) {
        expect(edge !== 'transparent' || ratio(color, panel) >= 3).toBe(true);
      }
    }),
  );
});

it('no colour, and what is none: the page keeps its own', () => {
  for (const none of [null, undefined, '', '#fff', 'red', '#12345g', '#123456;']) {
    expect(brandOf(none)).toBeNull();
  }
});
