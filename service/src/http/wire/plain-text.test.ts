import { describe, expect, it } from 'vitest';
import { assertPlainText } from './plain-text.ts';

const paramOf = (value: unknown, isFree = false): string | undefined => {
  try {
    assertPlainText(value, isFree);
    return undefined;
  } catch (error) {
    const { code, facts } = error as { code: string; facts: { param?: string } };
    expect(code).toBe('invalid_request');
    return facts.param ?? '';
  }
};

describe('assertPlainText', () => {
  it('names the field', () => {
    expect(paramOf({ products: [{ code: 'a' }, { name: 'Gold \u202e' }] })).toBe(
      'products[1].name',
    );
    expect(paramOf({ name: 'a\nb' })).toBe('name');
    expect(paramOf({ name: 'Zoë', tags: ['a', 1, null, true] })).toBeUndefined();
  });

  it('metadata has lines and tabs, and nothing that steers a terminal', () => {
    expect(paramOf({ metadata: { note: 'one\n\ttwo' } })).toBeUndefined();
    expect(paramOf({ metadata: { note: 'one\u009b2J' } })).toBe('metadata.note');
    expect(paramOf({ metadata: { 'a\nb': 'x' } })).toBe('metadata');
  });

  it('a merchant’s own body has lines too', () => {
    expect(paramOf({ order: { note: 'one\ntwo' } }, true)).toBeUndefined();
    expect(paramOf({ order: { note: '\u001b' } }, true)).toBe('order.note');
  });
});
