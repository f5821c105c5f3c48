// Every form in which a person types money: nothing is sent that a mark between thousands made a thousandth.

import { beforeAll, describe, expect, it, vi } from 'vitest';
import type * as Calls from '../../kit/calls.ts';
import type * as Typed from '../../kit/typed-fields.ts';
import type * as Rule from '../settings/refund-rule.tsx';
import type * as Catalog from './typed-catalog.ts';

let page: typeof Calls & typeof Typed & typeof Rule & typeof Catalog;

// The router reads the address when it is loaded.
beforeAll(async () => {
  vi.stubGlobal('location', new URL('http://localhost/dashboard'));
  page = {
    ...(await import('../../kit/calls.ts')),
    ...(await import('../../kit/typed-fields.ts')),
    ...(await import('../settings/refund-rule.tsx')),
    ...(await import('./typed-catalog.ts')),
  };
});

const fieldsOf = (values: Record<string, string>) => (name: string) => values[name] ?? '';

const faultsOf = (read: () => unknown) => {
  try {
    return { sent: read() };
  } catch (cause) {
    if (!(cause instanceof page.ShownAtField)) throw cause;
    return cause.faults.map(({ name, text, choices }) => [name, text, choices?.map((c) => c.text)]);
  }
};

const twoWays = (text: string, currency: string, ways: string) =>
  `${text} has more decimals than ${currency}, or a mark between thousands: write ${ways}.`;

describe('the price of a product', () => {
  const price = (currency: string, typed: string, more: Record<string, string> = {}, was = '') => {
    const fields = fieldsOf({ 'currency-0': currency, 'amount-0': typed, ...more });
    const lines = [{ key: 0, currency: was ? currency : '', amount: was }];
    const read = faultsOf(() => page.readProduct(fields, null, lines).prices);
    return 'sent' in read ? read.sent : read[0]?.slice(1);
  };

  it.each([
    ['EUR', '1,500', '1500 or 1.50'],
    ['EUR', '1.500', '1500 or 1.50'],
    ['EUR', '12,990', '12990 or 12.99'],
    ['JPY', '12,000', '12000 or 12'],
    ['JPY', '250.000', '250000 or 250'],
  ])('%s %s is refused before the call', (currency, typed, ways) => {
    expect(price(currency, typed)).toEqual([twoWays(typed, currency, ways), undefined]);
  });

  it.each([
    ['EUR', '1,500.00', 1500],
    ['EUR', '19,90', 19.9],
    ['JPY', '12000', 12000],
    ['jpy', '1,500,000', 1_500_000],
  ])('%s %s is %d', (currency, typed, amount) => {
    expect(price(currency, typed)).toEqual([{ currency: currency.toUpperCase(), amount }]);
  });

  it('three decimals: asked, until the person has chosen, or where the field had it', () => {
    expect(price('KWD', '1,500')).toEqual([expect.any(String), ['1.500', '1500']]);
    const chosen = { [page.settledName('amount-0')]: '1.500' };
    const kept = [{ currency: 'KWD', amount: 1.5 }];
    expect(price('KWD', '1.500', chosen)).toEqual(kept);
    expect(price('KWD', '2.500', chosen)).toEqual([expect.any(String), ['2.500', '2500']]);
    expect(price('KWD', '1.500', {}, '1.500')).toEqual(kept);
  });
});

it('a coupon takes off what was meant, as an amount and as a percentage', () => {
  const off = (values: Record<string, string>) => {
    const fields = fieldsOf({ code: 'C', ...values });
    return faultsOf(() => {
      const typed = new page.TypedFields(fields);
      const body = page.readDiscount(fields, typed);
      typed.end();
      return body;
    });
  };
  const amount = { kind: 'amount', currency: 'EUR' };
  expect(off({ ...amount, off: '1,000' })).toEqual([
    ['off', twoWays('1,000', 'EUR', '1000 or 1.00'), undefined],
  ]);
  expect(off({ ...amount, off: '1,000.00' })).toMatchObject({ sent: { amountOff: 1000 } });
  expect(off({ kind: 'percent', off: '12,5' })).toMatchObject({ sent: { percentOff: 12.5 } });
  expect(off({ kind: 'percent', off: '1,000' })).toEqual([
    ['off', expect.stringContaining('more decimals than a percentage'), undefined],
  ]);
});

it('a refund rule is of each currency’s decimals, and asks where it is of all of them', () => {
  const line = { key: 0, limit: { currency: '', perRefund: 200, perDay: 1000 } };
  const rule = (values: Record<string, string>) =>
    faultsOf(() => page.readRule(fieldsOf(values), { lines: [line], isOther: true }));
  const own = { 'currency-0': 'EUR', 'perRefund-0': '1000', 'perDay-0': '5.000' };
  expect(rule({ ...own, perRefund: '1,000', perDay: '5000' })).toEqual([
    ['perDay-0', twoWays('5.000', 'EUR', '5000 or 5.00'), undefined],
    ['perRefund', expect.any(String), ['1.000', '1000']],
  ]);
  const sent = { ...own, 'perDay-0': '5,000.00', perRefund: '200', perDay: '49,90' };
  expect(rule(sent)).toMatchObject({
    sent: {
      limits: [{ currency: 'EUR', perRefund: 1000, perDay: 5000 }],
      otherCurrencies: { perRefund: 200, perDay: 49.9 },
    },
  });
});
