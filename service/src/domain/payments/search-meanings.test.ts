import { describe, expect, it } from 'vitest';
import { amountOf, meaningsOf, queryOf } from './search-meanings.ts';

const readMeanings = (text: string) =>
  meaningsOf(text).map(({ of, by, filter }) => `${of} ${by} ${filter.field} ${filter.values}`);

describe('meaningsOf', () => {
  it('an id is an order number at most; an address and a provider’s id are nothing else', () => {
    const id = '01A2199A-33d6-7000-87c8-aad706f979c0';
    expect(new Set(meaningsOf(id).map(({ by }) => by))).toEqual(new Set(['id', 'metadata']));
    expect(readMeanings('pi_3Nx')).toEqual(['payments providerId providerId pi_3Nx']);
    expect(readMeanings('dp_1')).toEqual(['disputes providerId providerDisputeId dp_1']);
    expect(readMeanings('ada@ex')).toEqual([
      'payments email email ada@ex',
      'customers email email ada@ex',
    ]);
  });

  it('four digits are a card, an amount and an order number at once', () => {
    const seen = readMeanings('4242');
    expect(seen).toContain('payments lastFour lastFour 4242');
    expect(seen).toContain('payments amount amount 4242');
    expect(seen).toContain('payments metadata metadata 4242');
  });

  it('a reference is found in either case', () => {
    expect(readMeanings('7f3k-2q9m')).toContain('payments reference reference 7F3K-2Q9M');
    expect(readMeanings('Ada Lovelace')).toContain('customers name name Ada Lovelace');
  });
});

describe('amountOf', () => {
  it.each([
    ['14.90', '14.90'],
    ['14,90', '14.90'],
    ['€14.90', '14.90'],
    ['€ 14,9', '14.9'],
    ['14.90 EUR', '14.90'],
    ['1.234,50', '1234.50'],
    ['1,234.50', '1234.50'],
    ['1,234', '1234'],
    ['2500', '2500'],
    ['¥2500', '2500'],
  ])('%s', (text, amount) => expect(amountOf(text)).toBe(amount));

  it.each(['', '.', ',', '14.', '1.2.3', '12.3456', '1,23,4', 'abc', '-5', '9'.repeat(13)])(
    'no amount: %s',
    (text) => expect(amountOf(text)).toBe(null),
  );
});

it('a query of an address keeps what is not plain', () => {
  const filter = { field: 'name', op: 'startsWith', values: ['Å&b c'] } as const;
  expect(queryOf(filter)).toBe('name[startsWith]=%C3%85%26b%20c');
});
