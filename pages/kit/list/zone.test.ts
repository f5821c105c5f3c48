// Days of a time zone, over changes of the clock; and the amounts and addresses that people write.

import { beginOf } from '@svc/contract/values/zone-days';
import { describe, expect, it } from 'vitest';
import { money, readAmount } from '../money.ts';
import { rangeOf, rangeText, rangeWords } from '../zone.ts';
import { paymentFilters } from './filters.ts';
import { addressWith, filterWords, readAddress, requestOf } from './list-address.ts';

const iso = (at: number | null | undefined) => (at == null ? null : new Date(at).toISOString());
const range = (text: string, zone: string, now: string) => {
  const found = rangeOf(text, zone, Date.parse(now));
  return found && [iso(found.from), iso(found.until)];
};

describe('days of a time zone', () => {
  it.each([
    ['Europe/Berlin', '2026-11-26', '2026-11-25T23:00:00.000Z'],
    ['Pacific/Auckland', '2026-11-26', '2026-11-25T11:00:00.000Z'],
    ['America/St_Johns', '2026-07-01', '2026-07-01T02:30:00.000Z'],
    // At midnight the clock moves to one o'clock: the day begins then.
    ['America/Santiago', '2026-09-06', '2026-09-06T04:00:00.000Z'],
    // The clock moves from one o'clock back to midnight, which comes twice: the day begins at the first.
    ['America/Havana', '2026-11-01', '2026-11-01T04:00:00.000Z'],
    ['Atlantic/Azores', '2026-10-25', '2026-10-25T00:00:00.000Z'],
    ['Asia/Amman', '2021-10-29', '2021-10-28T21:00:00.000Z'],
    // The clock moves from midnight back to eleven: the day begins at the midnight after.
    ['Asia/Beirut', '2026-10-25', '2026-10-24T22:00:00.000Z'],
    // A minute after midnight the clock moved back to the day before.
    ['America/St_Johns', '2010-11-07', '2010-11-07T02:30:00.000Z'],
    // The day that the country left out when it crossed the date line.
    ['Pacific/Apia', '2011-12-30', '2011-12-30T10:00:00.000Z'],
  ])('%s begins %s at %s', (zone, day, at) => {
    const [year = 0, month = 0, date = 0] = day.split('-').map(Number);
    expect(iso(beginOf({ year, month, day: date }, zone))).toBe(at);
  });

  it('a day has 23 hours in spring and 25 in autumn', () => {
    const hours = (text: string) => {
      const found = rangeOf(text, 'Europe/Berlin', 0);
      return ((found?.until ?? 0) - (found?.from ?? 0)) / 3_600_000;
    };
    expect(['2026-03-29', '2026-10-25', '2026-11-26'].map(hours)).toEqual([23, 25, 24]);
  });

  it.each([
    ['today', '2026-11-25T23:00:00.000Z', '2026-11-26T23:00:00.000Z'],
    ['yesterday', '2026-11-24T23:00:00.000Z', '2026-11-25T23:00:00.000Z'],
    ['last-7-days', '2026-11-19T23:00:00.000Z', '2026-11-26T23:00:00.000Z'],
    ['this-month', '2026-10-31T23:00:00.000Z', '2026-11-30T23:00:00.000Z'],
    ['last-month', '2026-09-30T22:00:00.000Z', '2026-10-31T23:00:00.000Z'],
    ['this-quarter', '2026-09-30T22:00:00.000Z', '2026-12-31T23:00:00.000Z'],
    ['this-year', '2025-12-31T23:00:00.000Z', '2026-12-31T23:00:00.000Z'],
    ['2026-11-01..2026-11-02', '2026-10-31T23:00:00.000Z', '2026-11-02T23:00:00.000Z'],
    ['2026-11-01..', '2026-10-31T23:00:00.000Z', null],
    ['2026-11-01T18:00..2026-11-01T20:30', '2026-11-01T17:00:00.000Z', '2026-11-01T19:30:00.000Z'],
    ['2026-11-01T18:00..2026-11-01', '2026-11-01T17:00:00.000Z', '2026-11-01T23:00:00.000Z'],
    ['..2026-11-01', null, '2026-11-01T23:00:00.000Z'],
  ])('%s in Berlin', (text, from, until) => {
    expect(range(text, 'Europe/Berlin', '2026-11-26T20:00:00Z')).toEqual([from, until]);
  });

  it.each([
    '2026-11-26',
    '2026-11-01..2026-11-30',
    '2026-11-01T18:00..2026-11-01T20:30',
    // The clock goes back an hour on that day.
    '2026-10-25',
  ])('writes the range %s as it was read', (text) => {
    const { from, until } = rangeOf(text, 'Europe/Berlin', 0) ?? {};
    expect(rangeText(from ?? 0, until ?? 0, 'Europe/Berlin')).toBe(text);
  });

  it.each([
    '2026-11-26T18:00',
    '2026-11-26T24:00..',
    '2026-02-30',
    'someday',
    '..',
    '',
    '2026-11-01..x',
    '26.11.2026',
  ])('“%s” is no range', (text) => {
    expect(rangeOf(text, 'UTC', 0)).toBeNull();
  });

  it('says ranges in words', () => {
    const words = ['last-month', '2026-11-01', '2026-11-01..', '2026-11-01..2026-11-02'];
    expect(words.map(rangeWords)).toEqual([
      'Last month',
      '2026-11-01',
      'from 2026-11-01',
      '2026-11-01 to 2026-11-02',
    ]);
  });
});

describe('typed amounts', () => {
  const readAs = (text: string, currency: string, most: number, settled: string[] = []) =>
    readAmount(text, currency, { most, settled });

  it.each([
    ['5,00', 'EUR', 5],
    ['5.00', 'EUR', 5],
    [' 14.9 ', 'EUR', 14.9],
    ['2500', 'JPY', 2500],
    ['1,234.50', 'EUR', 1234.5],
    ['1 234,5', 'EUR', 1234.5],
    ['0.234', 'KWD', 0.234],
  ])('%s %s is %d', (text, currency, amount) => {
    expect(readAs(text, currency, 3000)).toEqual({ amount });
  });

  it.each([
    ['14.91', 'EUR', /more than is left: €14\.90/],
    ['1,234.50', 'EUR', /more than is left: €14\.90/],
    ['0', 'EUR', /above zero/],
    ['0,00', 'EUR', /above zero/],
    ['-1', 'EUR', /2 decimals/],
    [
      '1.234',
      'EUR',
      /1\.234 has more decimals than EUR, or a mark between .*: write 1234 or 1\.23\./,
    ],
    ['1e3', 'EUR', /2 decimals/],
    ['1,23', 'JPY', /more decimals than JPY: write 1 if that is meant/],
    ['5.0', 'JPY', /more decimals than JPY: write 5 if that is meant/],
    ['', 'EUR', /2 decimals/],
  ])('%s %s is refused', (text, currency, fault) => {
    expect(readAs(text, currency, 14.9)).toEqual({ fault: expect.stringMatching(fault) });
  });

  it('asks which mark stands before three digits where a currency has three decimals', () => {
    const choices = [
      { label: 'KWD\u00a01.234', text: '1.234' },
      { label: 'KWD\u00a01,234.000', text: '1234' },
    ];
    for (const text of ['1.234', '1,234']) {
      expect(readAs(text, 'KWD', 3000)).toMatchObject({ choices, fault: expect.any(String) });
    }
    expect(readAs('1.234', 'KWD', 3000, ['1.234'])).toEqual({ amount: 1.234 });
    expect(readAs('1234', 'KWD', 3000)).toEqual({ amount: 1234 });
  });

  it('shows a currency’s own decimals', () => {
    expect([money(14.9, 'EUR'), money(2500, 'JPY'), money(-1.5, 'KWD')]).toEqual([
      '€14.90',
      '¥2,500',
      '-KWD\u00a01.500',
    ]);
  });
});

describe('the address of a list', () => {
  const spec = {
    path: '/v1/payments',
    sort: '-createdAt',
    filters: paymentFilters,
    columns: [{ id: 'amount', sort: 'amount' }, { id: 'status' }],
  };
  const request = (search: string) =>
    decodeURIComponent(
      requestOf(readAddress(search, spec), spec, 'Europe/Berlin', Date.parse('2026-11-26T20:00Z')),
    );

  it('is the API’s filters by the same names', () => {
    const asked = request('?status=authorized,succeeded&amount=10..50&currency=EUR&sort=-amount');
    expect(asked).toBe(
      '/v1/payments?limit=25&sortField=amount&sortDirection=DESC&status[in]=authorized,succeeded' +
        '&amount[gte]=10&amount[lte]=50&currency[eq]=EUR',
    );
    expect(request('?createdAt=today&limit=50')).toContain(
      'limit=50&sortField=createdAt&sortDirection=DESC&createdAt[gte]=2026-11-25T23:00:00.000Z' +
        '&createdAt[lt]=2026-11-26T23:00:00.000Z',
    );
  });

  it('begins with a beginning where the API can, and takes any field of the metadata', () => {
    expect(request('?email=ada@&metadata.order=1007&isDisputed=true')).toContain(
      '&email[startsWith]=ada@&metadata.order[eq]=1007&isDisputed[eq]=true',
    );
    expect(readAddress('?metadata.=1&metadata[x]=2', spec).unknown).toEqual([
      'metadata.',
      'metadata[x]',
    ]);
  });

  it('names what it does not know and what means nothing, and keeps both', () => {
    const asked = readAddress('?colour=red&status=blue&sort=-id&columns=amount,x&page=0', spec);
    expect([asked.unknown, asked.wrong]).toEqual([['colour'], ['status', 'sort', 'columns']]);
    expect([asked.page, asked.sort, asked.columns]).toEqual([1, '-createdAt', ['amount']]);
    expect(addressWith('/p', asked, { currency: 'EUR', sort: null })).toBe(
      '/p?colour=red&status=blue&columns=amount,x&currency=EUR',
    );
  });

  it('says filters in words', () => {
    const words = (name: string, text: string) => {
      const filter = paymentFilters.find((each) => each.name === name);
      return filter && filterWords(filter, text);
    };
    expect([
      words('status', 'failed,voided'),
      words('amount', '10..50'),
      words('amount', '..50'),
      words('amount', '10'),
      words('email', 'ada@example.test'),
    ]).toEqual(['Failed or Released', '10 to 50', 'up to 50', '10', 'ada@example.test']);
  });
});
