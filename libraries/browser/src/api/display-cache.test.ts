import { afterEach, describe, expect, it, vi } from 'vitest';
import { clearDisplay, findDisplay, saveDisplay } from './display-cache.ts';

const now = Date.parse('2026-11-21T10:00:00Z');
const dayMs = 86_400_000;
const mug = { code: 'mug', name: 'Mug', totalAmount: 1, overrideAmount: null, currency: 'EUR' };
const data = { currency: 'EUR', products: [mug] };

afterEach(() => vi.unstubAllGlobals());

describe('display cache', () => {
  it('Contract §9 in-memory fallback: where every call of the storage throws', () => {
    const refuse = () => {
      throw new DOMException('closed to this page', 'SecurityError');
    };
    vi.stubGlobal('sessionStorage', { getItem: refuse, setItem: refuse, removeItem: refuse });
    saveDisplay('s1', data, { now });
    expect(findDisplay('s1', { now, expiresAt: undefined })).toEqual(data);
    clearDisplay('s1');
    expect(findDisplay('s1', { now, expiresAt: undefined })).toBeNull();
  });

  it.each([
    ['an amount that is no number', { products: [{ ...mug, totalAmount: 'free' }] }, now + 1],
    ['a name that is no text', { products: [{ ...mug, name: {} }] }, now + 1],
    ['products that are no list', { products: 'mug' }, now + 1],
    ['a currency that is none', { currency: 978 }, now + 1],
    ['an end that is text', {}, '9e99'],
    ['an end beyond a day', {}, now + dayMs + 1],
  ])('Contract §9 malformed entries are removed silently: %s', (_, broken, until) => {
    const kept = new Map([
      ['svc:display:s1', JSON.stringify({ savedAt: now, until, data: { ...data, ...broken } })],
    ]);
    vi.stubGlobal('sessionStorage', {
      getItem: (key: string) => kept.get(key) ?? null,
      removeItem: (key: string) => kept.delete(key),
    });
    expect(findDisplay('s1', { now, expiresAt: undefined })).toBeNull();
    expect(kept.size).toBe(0);
  });
});
