// What the forms of filters make of what people type, and addresses of what they bring.

import { describe, expect, it } from 'vitest';
import { cleanValue, filtersNamed, readAmounts, readDays, readText } from './filter-values.ts';
import { paymentFilters } from './filters.ts';
import type { FilterSpec } from './list-spec.ts';

const filter = (name: string): FilterSpec => {
  const found = paymentFilters.find((each) => each.name === name);
  if (!found) throw new Error(name);
  return found;
};
const typed = (name: string, text: string) => readText(filter(name), text);

describe('a text', () => {
  it.each([
    ['lastFour', '•••• 4242', '4242'],
    ['lastFour', '4242 4242 4242 4242', '4242'],
    ['lastFour', '٤٢٤٢', '4242'],
    ['currency', 'eur', 'EUR'],
    ['cardCountry', 'de', 'DE'],
    ['brand', 'Visa', 'visa'],
    ['reference', 'bb7f 3k2q', 'BB7F-3K2Q'],
    ['email', 'Ada Lovelace <ada@example.com>', 'ada@example.com'],
    ['productCode', ' mug ', 'mug'],
    ['userId', '01A219A4-913f-7000-bd17-976524ec3b74', '01a219a4-913f-7000-bd17-976524ec3b74'],
    ['name', '  ', null],
  ])('%s “%s” is cleaned', (name, text, value) => {
    expect(typed(name, text)).toEqual({ value });
  });

  it.each([
    ['lastFour', '42', 'Type the last four digits of the card, such as 4242.'],
    ['currency', 'euro', 'There is no such currency. Type its three letters, such as EUR.'],
    ['cardCountry', 'Germany', 'Type the two letters of a country, such as DE.'],
    ['reference', 'BB7F', 'A reference has eight letters and digits, such as BB7F-3K2Q.'],
    ['email', 'ada lovelace@example.com', 'An address has no blanks. Type it, or its beginning.'],
    [
      'metadata',
      '4242 4242 4242 4242',
      'This is a full card number. Filter by the last four digits.',
    ],
    ['userId', '4242', 'Type the whole id: 36 characters with dashes.'],
    ['name', 'x'.repeat(321), 'Type 320 characters at most.'],
  ])('%s “%s” is refused in words for people', (name, text, fault) => {
    expect(typed(name, text)).toEqual({ fault });
  });
});

describe('a range', () => {
  const amounts = (from: string, until: string, currency: string | null = null) =>
    readAmounts({ from, until }, { currency });

  it('of amounts is turned, and read as amounts are typed', () => {
    expect(amounts('50', '10')).toEqual({ value: '10..50' });
    expect(amounts('', '1.234,50')).toEqual({ value: '..1234.5' });
    expect(amounts('−25,00', '')).toEqual({ value: '-25..' });
    expect(amounts('10', '-10')).toEqual({ value: '-10..10' });
    expect(amounts('14,90', '14.90')).toEqual({ value: '14.9' });
    expect(amounts('', '')).toEqual({ value: null });
    expect(amounts('ten', '')).toEqual({ fault: 'Type numbers, such as 14.90.' });
  });

  it('of amounts never takes a mark between thousands for decimals', () => {
    expect(amounts('1,500', '')).toEqual({
      fault: '1,500 has two meanings. Which one is yours?',
      choices: [
        { label: '1.5', text: '1.500' },
        { label: '1,500', text: '1500' },
      ],
    });
    expect(amounts('1,500', '', 'EUR')).toEqual({
      fault: expect.stringContaining('write 1500 or 1.50'),
    });
  });

  it('of days is turned', () => {
    expect(readDays({ from: '2026-11-28', until: '2026-11-01' })).toEqual({
      value: '2026-11-01..2026-11-28',
    });
    expect(readDays({ from: '2026-11-28', until: '2026-11-28' })).toEqual({ value: '2026-11-28' });
    expect(readDays({ from: '', until: '2026-11-28' })).toEqual({ value: '..2026-11-28' });
    expect(readDays({ from: '2026-11-28T18:00', until: '2026-11-28' })).toEqual({
      value: '2026-11-28T18:00..2026-11-28',
    });
    expect(readDays({ from: '2026-11-28T18:00', until: '2026-11-28T09:30' })).toEqual({
      value: '2026-11-28T09:30..2026-11-28T18:00',
    });
  });
});

it('an address means what the form would have written, or nothing', () => {
  const values = (name: string, ...texts: string[]) =>
    texts.map((text) => cleanValue(filter(name), text));
  expect(values('amount', '50..10', '1.5', '-5..', '1,5', `1${'0'.repeat(15)}`)).toEqual([
    '10..50',
    '1.5',
    '-5..',
    null,
    null,
  ]);
  expect(values('createdAt', '2026-11-28..2026-11-01', 'today', '2026-02-30')).toEqual([
    '2026-11-01..2026-11-28',
    'today',
    null,
  ]);
  expect(values('currency', 'eur', 'euro')).toEqual(['EUR', null]);
  expect(values('lastFour', '42', '•••• 4242')).toEqual([null, '4242']);
  expect(values('status', 'failed,voided', 'blue')).toEqual(['failed,voided', null]);
});

describe('the filters that are typed for', () => {
  it.each([
    ['mail', ['Email']],
    ['CARD', ['Card brand', 'Card’s country']],
    ["card's", ['Card’s country']],
    ['lastfour', ['Last four digits']],
    ['ref', ['Reference']],
    ['nothing such', []],
  ])('“%s” finds %j', (text, titles) => {
    expect(filtersNamed(paymentFilters, text).map(({ title }) => title)).toEqual(titles);
  });

  it('those that begin with it come first, in the order of the list; nothing typed is all', () => {
    const titles = filtersNamed(paymentFilters, 'c').map(({ title }) => title);
    expect(titles.slice(0, 3)).toEqual(['Created', 'Changed', 'Captured']);
    expect(titles.indexOf('Product')).toBeGreaterThan(titles.indexOf('Charge id'));
    expect(filtersNamed(paymentFilters, ' ')).toEqual(paymentFilters);
  });
});
