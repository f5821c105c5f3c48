import { expect, test } from 'vitest';
import { priceText } from './provider-digits.ts';

// What is charged, in the smallest unit of the wire, and what a person reads.
test.each([
  [1990, 'eur', '€19.90'],
  [1990, 'jpy', '¥1,990'],
  [199_000, 'isk', 'ISK 1,990'],
  [3_700_000, 'ugx', 'UGX 37,000'],
  [499_050, 'huf', 'HUF 4,990.50'],
  [1_500_050, 'idr', 'IDR 15,000.50'],
  [10_050, 'lak', 'LAK 100.50'],
  [500_050, 'cop', 'COP 5,000.50'],
  [10_050, 'pkr', 'PKR 100.50'],
  [4560, 'iqd', 'IQD 4.560'],
  [5120, 'kwd', 'KWD 5.120'],
  [7, 'mga', 'MGA 7'],
])('%i of %s is %s', (amount, currency, text) => {
  expect(priceText(amount, currency, 'en').replaceAll('\u00a0', ' ')).toBe(text);
});
