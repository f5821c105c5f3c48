// The search box never sends a card number.

import { expect, it } from 'vitest';
import { cardNumberIn, leftOfCardNumber } from './card-guard.ts';

it.each([
  '4242424242424242',
  '4242 4242 4242 4242',
  '4242-4242-4242-4242',
  'card 4000.0000.0000.0002 please',
  '378282246310005',
  '6011 0009 9013 9424',
  '4000008260000000008',
])('%s is a card number, of which four digits stay', (text) => {
  const lastFour = text.replace(/\D/g, '').slice(-4);
  expect(cardNumberIn(text)).toBe(lastFour);
  expect(leftOfCardNumber(text)).toBe(lastFour);
});

it.each(['4242 4242 4242 4242 12/34', '4242  4242  4242  4242', '4242/4242/4242/4242'])(
  '%s has a card number beside other digits, and is not sent either',
  (text) => {
    expect(leftOfCardNumber(text)).not.toBeNull();
  },
);

it.each([
  ...['4242424242424241', '4242', '424242424242', '01a219a4-913f-7000-bd17-976524ec3b74'],
  // 22990-1009-7000 has the right Luhn digit.
  '01a22990-1009-7000-bd17-976524ec3b74',
  ...['', 'ada@example.com', '1.234,56 €'],
])('%s is none', (text) => {
  expect(cardNumberIn(text)).toBeNull();
  expect(leftOfCardNumber(text)).toBeNull();
});
