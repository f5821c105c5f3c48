import { containsCardNumber } from '@svc/contract/vault/card-number';
import { describe, expect, it } from 'vitest';
import { formsOf, newCard } from './canaries.ts';
import { findShort, scanFor } from './scan.ts';

const secret = { name: 'secret', value: 'svc_4/ä"b+c=d_end' };
const card = { name: 'card', value: '371449635398431' };
const scanText = (text: string | Buffer, canaries = [secret, card]) =>
  scanFor(canaries)({ name: 'here', bytes: Buffer.from(text) }).map(({ form }) => form);

describe('the search', () => {
  it.each([
    ['plain', `x${card.value}x`],
    ['spaced', '3714 496353 98431'],
    ['spaced', '3714 4963 5398 431'],
    ['dashed', '3714-496353-98431'],
    ['reversed', '134893536944173'],
    ['hex', Buffer.from(card.value).toString('hex')],
    ['hex', Buffer.from(card.value).toString('hex').toUpperCase()],
    ['UTF-16', Buffer.from(card.value, 'utf16le')],
    ['URL-encoded', '%33%37%31%34%34%39%36%33%35%33%39%38%34%33%31'],
    ['JSON-escaped', [...card.value].map((digit) => `\\u003${digit}`).join('')],
  ])('%s: %s', (form, text) => {
    expect(scanText(text)).toContain(form);
  });

  it.each([0, 1, 2, 3, 4, 5])('base64, %i characters into a longer text', (offset) => {
    for (const { value } of [card, secret]) {
      const longer = Buffer.from(`${'x'.repeat(offset)}${value} and more`);
      expect(scanText(longer.toString('base64'))).toContain('base64');
      expect(scanText(longer.toString('base64url')).join()).toMatch(/base64/);
    }
  });

  it('a secret with characters that URLs and JSON write otherwise', () => {
    expect(scanText(`?x=${encodeURIComponent(secret.value)}`)).toEqual(['URL-encoded']);
    expect(scanText(JSON.stringify({ secret: secret.value }))).toEqual(['JSON-escaped']);
  });

  it('nothing where nothing is', () => {
    expect(scanText('371449635398432 and 3714 496353 98430')).toEqual([]);
    expect(() => scanFor([{ name: 'short', value: '1234567' }])).toThrow('too short');
  });

  it('short values: only all of them together, each by itself', () => {
    const placeOfText = (text: string) => [{ name: 'here', bytes: Buffer.from(text) }];
    const values = ['7001', '7002', '7003'];
    expect(findShort(values, placeOfText('"7001", cvc=7002&7003'))).toEqual(['here']);
    expect(findShort(values, placeOfText('7001, 7002, 17003'))).toEqual([]);
    expect(() => findShort(['7001'], [])).toThrow();
  });

  it('canary cards are real card numbers, with no two alike', () => {
    const cards = Array.from({ length: 50 }, newCard);
    expect(cards.every(({ number }) => containsCardNumber(number))).toBe(true);
    expect(new Set(cards.map(({ number }) => number)).size).toBe(50);
    expect(formsOf(cards[0]?.number ?? '').length).toBeGreaterThan(12);
  });
});
