import { describe, expect, it } from 'vitest';
import { editDistance, nearestName } from './edit-distance.ts';

describe('editDistance', () => {
  it.each([
    ['', '', 0],
    ['abc', '', 3],
    ['kitten', 'sitting', 3],
    ['audti', 'audit', 2],
  ])('%j and %j: %i', (a, b, distance) => {
    expect(editDistance(a, b)).toBe(distance);
    expect(editDistance(b, a)).toBe(distance);
  });
});

describe('nearestName', () => {
  it('the nearest, or none when all are far', () => {
    expect(nearestName('recncile', ['audit', 'reconcile'])).toBe('reconcile');
    expect(nearestName('completely', ['audit'])).toBeUndefined();
    expect(nearestName('nonsense', ['mails', 'people', 'tokens'])).toBeUndefined();
    expect(nearestName('x', [])).toBeUndefined();
  });
});
