import { exponentOf, isCurrency } from '@svc/contract/values/currencies';
import { describe, expect, it } from 'vitest';
import { amountsOf, meaningsOf, queryOf } from './search-meanings.ts';

const readMeanings = (text: string) =>
  meaningsOf(text).map(({ of, by, filters }) =>
    [of, by, ...filters.map(({ field, values }) => `${field} ${values}`)].join(' '),
  );

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

describe('amountsOf', () => {
  const read = (text: string) =>
    amountsOf(text).map(({ amount, currency }) => `${amount} ${currency ?? 'any'}`);

  it.each([
    ['14.90', ['14.90 any']],
    ['14,90', ['14.90 any']],
    ['€14.90', ['14.90 EUR']],
    ['€ 14,9', ['14.9 EUR']],
    ['eur 14.90', ['14.90 EUR']],
    ['14.90 EUR', ['14.90 EUR']],
    ['1.234,50', ['1234.50 any']],
    ['1,234.50', ['1234.50 any']],
    ['1,234', ['1234 any', '1.234 any']],
    ['€1,234', ['1234 EUR']],
    ['14.990', ['14990 any', '14.990 any']],
    ['14.990 KWD', ['14990 KWD', '14.990 KWD']],
    ['2500', ['2500 any']],
    ['¥2500', ['2500 any']],
    ['CA$1,234.56', ['1234.56 CAD']],
    ['₹1,23,456.78', ['123456.78 INR']],
    ['1 499,50 kr', ['1499.50 any']],
    ['R$ 77,50', ['77.50 BRL']],
    ['1’234’567.50', ['1234567.50 any']],
    ['-25.00', ['-25.00 any']],
    ['−€25.00', ['-25.00 EUR']],
    ['€ -25,00', ['-25.00 EUR']],
  ])('%s', (text, amounts) => expect(read(text)).toEqual(amounts));

  it.each([
    ...['', '.', ',', '14.', '1.2.3', '12.3456', '1,23,4', 'abc', '9'.repeat(13)],
    ...['12 monkeys', '¤12', '14.90 XYZ', '₩5,00 EUR', '1.23.4567'],
  ])('no amount: %s', (text) => expect(amountsOf(text)).toEqual([]));

  it('reads what any language writes, by sign or code, in any currency', () => {
    const languages = [
      ...['en', 'en-CA', 'en-IN', 'en-ZA', 'ar-EG', 'de', 'de-CH', 'de-AT', 'es', 'es-MX', 'fr'],
      ...['fr-CA', 'fr-CH', 'it', 'ja', 'nl', 'pl', 'pt', 'pt-PT', 'sv', 'cs', 'hu', 'bg', 'tr'],
      ...['uk', 'he', 'fa', 'hi', 'bn', 'th', 'vi', 'ko', 'zh-CN', 'zh-TW', 'et', 'lv', 'ne', 'my'],
    ];
    const missed: string[] = [];
    for (const currency of Intl.supportedValuesOf('currency').filter(isCurrency)) {
      const digits = exponentOf(currency);
      const sums = [1234567.125, -25].map((sum) => sum.toFixed(Math.min(digits, 3)));
      for (const language of languages) {
        for (const currencyDisplay of ['symbol', 'narrowSymbol', 'code'] as const) {
          const format = new Intl.NumberFormat(language, {
            ...{ style: 'currency', currency, currencyDisplay },
            ...{ minimumFractionDigits: digits, maximumFractionDigits: digits },
          });
          for (const sum of sums) {
            const text = format.format(Number(sum));
            const isFound = amountsOf(text).some(
              ({ amount, currency: of }) =>
                Number(amount) === Number(sum) && (of === null || of === currency),
            );
            if (!isFound) missed.push(`${language} ${currency} ${text}`);
          }
        }
      }
    }
    expect(missed).toEqual([]);
  });
});

it('a query of an address keeps what is not plain', () => {
  const filter = { field: 'name', op: 'startsWith', values: ['Å&b c'] } as const;
  expect(queryOf([filter])).toBe('name[startsWith]=%C3%85%26b%20c');
  const amount = { field: 'amount', op: 'eq', values: ['14.90'] } as const;
  expect(queryOf([amount, { ...amount, field: 'currency', values: ['EUR'] }])).toBe(
    'amount[eq]=14.90&currency[eq]=EUR',
  );
});
