// Contract §12: exact decimals, exponents per provider.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mostMinor } from '../../domain/money/money.ts';
import { fromWalletMoney, toWalletMoney } from './money.ts';

describe('an amount for the wallet', () => {
  it('comes back as it went, for every amount', () => {
    const amounts = fc.record({
      amountMinor: fc.integer({ min: 1, max: mostMinor }),
      currency: fc.constantFrom('EUR', 'USD', 'JPY', 'CHF'),
    });
    fc.assert(
      fc.property(amounts, (amount) => {
        expect(fromWalletMoney(toWalletMoney(amount))).toEqual(amount);
      }),
    );
  });

  it.each([
    [1990, 'EUR', '19.90'],
    [5, 'USD', '0.05'],
    [1990, 'JPY', '1990'],
    [199_000, 'HUF', '1990'],
    [199_000, 'TWD', '1990'],
  ])('%i %s is %s', (amountMinor, currency, value) => {
    expect(toWalletMoney({ amountMinor, currency })).toEqual({ currency_code: currency, value });
  });

  it.each([
    [199_050, 'HUF'],
    [0, 'EUR'],
    [-1, 'EUR'],
    [1990, 'KWD'],
    [mostMinor + 1, 'EUR'],
  ])('%i %s cannot be written', (amountMinor, currency) => {
    expect(toWalletMoney({ amountMinor, currency })).toBeNull();
  });

  it.each([
    ['19.9', { amountMinor: 1990, currency: 'EUR' }],
    ['19.900', { amountMinor: 1990, currency: 'EUR' }],
    ['19', { amountMinor: 1900, currency: 'EUR' }],
    ['19.901', null],
    ['-19.90', null],
    ['1e3', null],
    ['19,90', null],
    ['', null],
    ['0.00', null],
    ['9999999999999999', null],
    [19.9, null],
  ])('%j is read as %j', (value, expected) => {
    expect(fromWalletMoney({ currency_code: 'EUR', value })).toEqual(expected);
  });

  it.each([null, 'EUR', [], {}, { currency_code: 'KWD', value: '1.000' }])(
    '%j is none',
    (value) => {
      expect(fromWalletMoney(value)).toBeNull();
    },
  );
});
