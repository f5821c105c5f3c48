import { exponentOf, isCurrency } from '@svc/contract/values/currencies';
import { describe, expect, it } from 'vitest';
import { amountsOf } from './search-amounts.ts';
import { meaningsOf, productWords, queryOf } from './search-meanings.ts';

// Thursday evening in Berlin.
const clock = { zone: 'Europe/Berlin', now: Date.parse('2026-11-26T20:00:00Z') };

const readMeanings = (text: string) =>
  meaningsOf(text, clock).map(({ of, by, filters }) =>
    [of, by, ...filters.map(({ field, values }) => `${field} ${values}`)].join(' '),
  );

describe('meaningsOf', () => {
  it('an id is an order number at most; an address and a provider’s id are nothing else', () => {
    const id = '01A2199A-33d6-7000-87c8-aad706f979c0';
    expect(new Set(meaningsOf(id, clock).map(({ by }) => by))).toEqual(new Set(['id', 'metadata']));
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

/** The meanings of several words together, as the page tells them. */
const wordsOf = (text: string, products: { code: string; name: string }[] = []) =>
  meaningsOf(text, clock, products)
    .filter(({ of }) => of === 'payments')
    .map(({ words }) => words);
const dayOfText = (text: string) =>
  meaningsOf(text, clock).flatMap(({ of, by, filters }) =>
    of === 'payments' && by === 'day' ? [filters.map(({ values }) => values[0]?.slice(0, 16))] : [],
  );

describe('days and times', () => {
  const yesterday = ['2026-11-24T23:00', '2026-11-25T23:00'];
  const friday = ['2026-11-26T23:00', '2026-11-27T23:00'];
  const lastYear = friday.map((instant) => instant.replace('2026', '2025'));

  it.each([
    ['yesterday', yesterday],
    ['25.11.2026', yesterday],
    ['25.11.26', yesterday],
    ['25. 11.', yesterday],
    ['25/11/2026', yesterday],
    ['11/25/2026', yesterday],
    ['25-11-2026', yesterday],
    ['2026-11-25', yesterday],
    ['25 Nov', yesterday],
    ['25th of November', yesterday],
    ['Nov 25, 2026', yesterday],
    ['25. novembre 2026', yesterday],
    ['Wednesday', yesterday],
    ['1 days ago', yesterday],
    ['27.11.2026', friday],
    // Tomorrow has no payments yet: without a year the newest such day is meant.
    ['27 Nov', lastYear],
    ['October', ['2026-09-30T22:00', '2026-10-31T23:00']],
    ['last month', ['2026-09-30T22:00', '2026-10-31T23:00']],
    ['December 2025', ['2025-11-30T23:00', '2025-12-31T23:00']],
    ['last week', ['2026-11-15T23:00', '2026-11-22T23:00']],
    ['2026-11-24..2026-11-25', ['2026-11-23T23:00', '2026-11-25T23:00']],
    ['yesterday evening', ['2026-11-25T17:00', '2026-11-25T23:00']],
    ['last evening', ['2026-11-25T17:00', '2026-11-25T23:00']],
    ['last night', ['2026-11-25T20:00', '2026-11-26T05:00']],
    ['evening', ['2026-11-26T17:00', '2026-11-26T23:00']],
    // It is not ten yet today.
    ['22:00', ['2026-11-25T20:30', '2026-11-25T21:30']],
    ['25 Nov 14:30', ['2026-11-25T13:00', '2026-11-25T14:00']],
    ['25 Nov at 2:30 pm', ['2026-11-25T13:00', '2026-11-25T14:00']],
    ['25.11. 14 Uhr', ['2026-11-25T12:30', '2026-11-25T13:30']],
    ['yesterday after 18:00', ['2026-11-25T17:00', '2026-11-25T23:00']],
    ['yesterday 18-20 h', ['2026-11-25T17:00', '2026-11-25T19:00']],
  ])('%s', (text, instants) => expect(dayOfText(text)).toEqual([instants]));

  it('a day that two countries write differently is both', () => {
    expect(wordsOf('05/06/2026').slice(0, 2)).toEqual([
      '5 Jun 2026 (Europe/Berlin)',
      '6 May 2026 (Europe/Berlin)',
    ]);
  });

  it.each(['31.02.2026', '32.11.', '25:00', '13 pm', '2026-13-01', '5', 'ada'])(
    '%s is no day',
    (text) => expect(dayOfText(text)).toEqual([]),
  );
});

describe('several words', () => {
  it.each([
    ['•••• 4242', ['card ending in 4242']],
    ['**** 4242', ['card ending in 4242']],
    ['xxxx4242', ['card ending in 4242']],
    ['amex 0005', ['amex card ending in 0005']],
    ['card ending in 4242', ['card ending in 4242']],
    ['visa 4242', ['visa card ending in 4242']],
    ['Visa •••• 4242', ['visa card ending in 4242']],
    ['American Express 0005', ['american express card ending in 0005']],
    ['held', ['held']],
    ['refund', ['refunds']],
    ['ada@example.test 19.90', ['address ada@example.test, amount 19.90']],
    ['visa yesterday evening', ['25 Nov 2026, 18:00 to 24:00 (Europe/Berlin), card of visa']],
  ])('%s: %j', (text, words) => expect(wordsOf(text).slice(0, words.length)).toEqual(words));

  it('each word narrows: card and amount, in either order', () => {
    for (const text of ['4242 14.90', '14.90 4242', '4242, 14.90', 'card 4242 for 14.90']) {
      const found = meaningsOf(text, clock).find(({ by }) => by === 'several');
      const asked = found && queryOf(found.filters).split('&').sort();
      expect(asked, text).toEqual(['amount[eq]=14.90', 'lastFour[eq]=4242']);
    }
  });

  it('a sum that somebody remembers is a tenth more or less, also with the currency as people say it', () => {
    const first = (text: string) => queryOf(meaningsOf(text, clock)[0]?.filters ?? []);
    const near = 'amount[gte]=13.50&amount[lte]=16.50';
    expect(first('about 15')).toBe(near);
    expect(first('~15')).toBe(near);
    expect(first('around 15 euro')).toBe(`${near}&currency[eq]=EUR`);
    expect(first('about 2500 yen')).toBe('amount[gte]=2250&amount[lte]=2750&currency[eq]=JPY');
    const [all] = meaningsOf('yesterday evening about 15 euro 4242', clock);
    const asked = all?.filters.map(({ field, op }) => `${field} ${op}`).sort();
    expect(asked).toEqual([
      ...['amount gte', 'amount lte', 'createdAt gte', 'createdAt lt'],
      ...['currency eq', 'lastFour eq'],
    ]);
    expect(first('15 euros')).toBe('amount[eq]=15&currency[eq]=EUR');
  });

  it('other words are a name, a product or an order number', () => {
    expect(productWords('Mug from yesterday', clock)).toBe('Mug');
    const words = wordsOf('hopper grace held', [{ code: 'mug', name: 'Hopper mug' }]);
    expect(words.slice(0, 3)).toEqual([
      'held, name hopper grace',
      'held, product Hopper mug',
      'held, order number hopper grace',
    ]);
    // A person may be called like that as well.
    expect(words).toContain('name hopper grace held');
  });

  it('a product’s name finds what it sold', () => {
    const products = [{ code: 'mug-2', name: 'Coffee mug' }];
    const found = meaningsOf('coffee', clock, products).filter(({ words }) =>
      words.includes('mug'),
    );
    expect(found.map(({ of, filters }) => `${of} ${queryOf(filters)}`)).toEqual([
      'payments productCode[eq]=mug-2',
      'subscriptions productCode[eq]=mug-2',
    ]);
  });

  it('disputes are found by their words', () => {
    const [first] = meaningsOf('dispute 19.90', clock);
    expect([first?.of, queryOf(first?.filters ?? [])]).toEqual(['disputes', 'amount[eq]=19.90']);
  });

  it('two days, or two sums, are nothing together; and the queries are bounded', () => {
    expect(wordsOf('yesterday today')).not.toContainEqual(expect.stringMatching(/Berlin/));
    expect(wordsOf('14.90 15.90')).not.toContainEqual(expect.stringMatching(/amount/));
    const many = '05/06 4242 1007 2026 held visa mug coffee 12:00';
    expect(meaningsOf(many, clock).length).toBeLessThan(30);
  });
});
