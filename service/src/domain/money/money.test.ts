// Contract §12: integers inside, exact decimals on the wire.

import { exponentOf, isCurrency } from '@svc/contract/values/currencies';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertCarried, mostMinor, toDecimal, toMajor, toMinor } from './money.ts';

// ISO 4217, list one, by minor units.
const none = 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'.split(' ');
const three = 'BHD IQD JOD KWD LYD OMR TND'.split(' ');
const four = ['CLF', 'UYW'];
const two = (
  'AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD ' +
  'CDF CHE CHF CHW CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS ' +
  'GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD ' +
  'LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB ' +
  'PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP ' +
  'SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XCD YER ZAR ZMW ZWG'
).split(' ');
const all = [...none, ...two, ...three, ...four];
const currencies = fc.constantFrom(...all);
const code = (name: string) => expect.objectContaining({ code: name });

describe('exponentOf', () => {
  it.each([
    [0, none],
    [2, two],
    [3, three],
    [4, four],
  ])('%i decimals: %s', (exponent, codes) => {
    expect(codes.filter((currency) => exponentOf(currency) !== exponent)).toEqual([]);
  });
});

describe('isCurrency', () => {
  it('every one of ISO 4217; no metal, no test code, no small letters', () => {
    expect(all.filter((currency) => !isCurrency(currency))).toEqual([]);
    for (const none of ['XAU', 'XTS', 'XXX', 'XQX', 'eur', ''])
      expect(isCurrency(none)).toBe(false);
  });
});

describe('major units on the wire', () => {
  it('every amount comes back, through the text of JSON, in every currency', () => {
    const amounts = fc.oneof(
      fc.integer({ min: -mostMinor, max: mostMinor }),
      fc.integer({ min: -9999, max: 9999 }),
      fc.integer({ min: mostMinor - 100_000, max: mostMinor }),
    );
    fc.assert(
      fc.property(currencies, amounts, (currency, minor) => {
        const text = JSON.stringify(toMajor(minor, currency));
        expect(toMinor(JSON.parse(text), currency)).toBe(minor);
      }),
      { numRuns: 20_000 },
    );
  });

  it('has the digits of the decimal text, no more and no others', () => {
    fc.assert(
      fc.property(currencies, fc.integer({ min: 0, max: mostMinor }), (currency, minor) => {
        const [whole, fraction = ''] = toDecimal(minor, currency).split('.');
        expect(fraction).toHaveLength(exponentOf(currency));
        expect(BigInt(`${whole}${fraction}`)).toBe(BigInt(minor));
        const text = String(toMajor(minor, currency));
        if (!text.includes('e')) {
          const [shown, decimals = ''] = text.split('.');
          expect(`${shown}.${decimals.padEnd(fraction.length, '0')}`).toBe(`${whole}.${fraction}`);
        }
      }),
      { numRuns: 5000 },
    );
  });

  it.each([
    [1990, 'EUR', 19.9, '19.90'],
    [5, 'EUR', 0.05, '0.05'],
    [-5, 'EUR', -0.05, '-0.05'],
    [0, 'EUR', 0, '0.00'],
    [2500, 'JPY', 2500, '2500'],
    [1, 'KWD', 0.001, '0.001'],
    [1, 'CLF', 0.0001, '0.0001'],
    [mostMinor, 'EUR', 9_999_999_999_999.99, '9999999999999.99'],
  ])('%i of %s is %d', (minor, currency, major, text) => {
    expect(toMajor(minor, currency)).toBe(major);
    expect(toDecimal(minor, currency)).toBe(text);
    expect(toMinor(major, currency)).toBe(minor);
  });

  it('an amount that no JSON number can carry is a bug, not a rounded amount', () => {
    for (const minor of [mostMinor + 1, Number.MAX_SAFE_INTEGER, 2 ** 53, 0.5, Number.NaN]) {
      expect(() => toMajor(minor, 'EUR')).toThrow(/15 digits/);
    }
  });
});

describe('toMinor', () => {
  it('422 amount_precision: any more decimals than the currency has', () => {
    const cases = fc.record({
      currency: currencies,
      whole: fc.nat(99_999),
      last: fc.integer({ min: 1, max: 9 }),
      extra: fc.integer({ min: 1, max: 5 }),
    });
    fc.assert(
      fc.property(cases, ({ currency, whole, last, extra }) => {
        const decimals = '0'.repeat(exponentOf(currency) + extra - 1) + last;
        const major = Number(`${whole}.${decimals}`);
        expect(() => toMinor(major, currency)).toThrow(code('amount_precision'));
      }),
    );
  });

  it.each([
    [0.001, 'EUR'],
    [1e-7, 'EUR'],
    [5e-324, 'KWD'],
    [0.1 + 0.2, 'EUR'],
    [1.5, 'JPY'],
    [1.23456e-5, 'CLF'],
  ])('422 amount_precision: %d %s', (major, currency) => {
    expect(() => toMinor(major, currency)).toThrow(code('amount_precision'));
  });

  it.each([
    [Number.NaN, 'EUR'],
    [Number.POSITIVE_INFINITY, 'EUR'],
    [Number.NEGATIVE_INFINITY, 'JPY'],
    [10_000_000_000_000, 'EUR'],
    [2 ** 53, 'JPY'],
    [2 ** 53 + 2, 'JPY'],
    [-(2 ** 53), 'JPY'],
    [1e15, 'JPY'],
    [1e21, 'JPY'],
    [1.7e308, 'KWD'],
  ])('400 invalid_request: %d %s', (major, currency) => {
    expect(() => toMinor(major, currency)).toThrow(code('invalid_request'));
  });

  it('zero has no sign', () => {
    expect(Object.is(toMinor(-0, 'EUR'), 0)).toBe(true);
    expect(Object.is(toMajor(0, 'EUR'), 0)).toBe(true);
  });
});

describe('assertCarried', () => {
  const checkCarried = (minor: number, currency: string) =>
    assertCarried(minor, { currency, provider: 'cardprovider' });

  it('422 amount_precision: the last digit of three decimals is not 0, MGA is not whole', () => {
    for (const currency of three) {
      expect(() => checkCarried(5120, currency)).not.toThrow();
      expect(() => checkCarried(5123, currency)).toThrow(code('amount_precision'));
    }
    expect(() => checkCarried(500, 'MGA')).not.toThrow();
    expect(() => checkCarried(550, 'MGA')).toThrow(code('amount_precision'));
  });

  it('422 amount_precision: the wallet takes HUF and TWD whole, which cards do not ask for', () => {
    for (const currency of ['HUF', 'TWD']) {
      expect(() => assertCarried(1050, { currency, provider: 'wallet' })).toThrow(
        code('amount_precision'),
      );
      expect(() => assertCarried(1000, { currency, provider: 'wallet' })).not.toThrow();
      expect(() => checkCarried(1050, currency)).not.toThrow();
    }
    expect(() => assertCarried(1050, { currency: 'EUR', provider: 'wallet' })).not.toThrow();
  });

  it('says what the provider takes', () => {
    expect(() => checkCarried(5123, 'KWD')).toThrow(/takes KWD in steps of 0\.010 only/);
    expect(() => checkCarried(550, 'MGA')).toThrow(/takes MGA in steps of 1\.00 only/);
  });

  it('every amount of every other currency is carried, and the rest of a carried one too', () => {
    const amounts = fc.integer({ min: 0, max: mostMinor });
    fc.assert(
      fc.property(currencies, amounts, amounts, (currency, one, other) => {
        const isCarried = (minor: number) => {
          try {
            checkCarried(minor, currency);
            return true;
          } catch {
            return false;
          }
        };
        if (!three.includes(currency) && currency !== 'MGA') expect(isCarried(one)).toBe(true);
        const step = currency === 'MGA' ? 100 : three.includes(currency) ? 10 : 1;
        expect(isCarried(one)).toBe(one % step === 0);
        if (isCarried(one) && isCarried(other)) expect(isCarried(Math.abs(one - other))).toBe(true);
      }),
      { numRuns: 5000 },
    );
  });
});
