import { findBrand } from '@svc/contract/vault/card-number';
import { describe, expect, it } from 'vitest';
import {
  checkCvc,
  checkExpiry,
  checkName,
  checkNumber,
  checkPostalCode,
  isNumberFinished,
} from './checks.ts';

describe('checkNumber', () => {
  it.each([
    ['4242 4242 4242 4242', undefined],
    ['3782 822463 10005', undefined],
    ['9999 9999 9999 9995', undefined],
    ['', 'number_incomplete'],
    ['4242 4242', 'number_incomplete'],
    ['4242 4242 4242 4241', 'number_invalid'],
    ['4242 4242 4242 4242 4', 'number_invalid'],
    ['3782 822463 1000', 'number_incomplete'],
    ['3782 822463 10006', 'number_invalid'],
  ])('%j: %s', (text, code) => expect(checkNumber(text, undefined)).toBe(code));

  it('brand_unsupported: a brand, or none, that the page does not take', () => {
    expect(checkNumber('5555 5555 5555 4444', ['visa'])).toBe('brand_unsupported');
    expect(checkNumber('5555', ['visa'])).toBe('brand_unsupported');
    expect(checkNumber('9999 9999 9999 9995', ['visa'])).toBe('brand_unsupported');
    expect(checkNumber('4242 4242 4242 4242', ['visa'])).toBe(undefined);
  });
});

describe('isNumberFinished', () => {
  it('waits for the usual length, though a shorter one would pass', () => {
    expect(isNumberFinished('4222 2222 2222 2')).toBe(false);
    expect(isNumberFinished('4242 4242 4242 4242')).toBe(true);
    expect(isNumberFinished('3782 822463 10005')).toBe(true);
    expect(isNumberFinished('4242 4242 4242 4241')).toBe(false);
  });
});

describe('checkExpiry', () => {
  const at = (text: string) => Date.parse(text);
  const noon = at('2026-03-15T12:00:00Z');

  it.each([
    ['03 / 26', undefined],
    ['02 / 26', 'expiry_past'],
    ['12 / 25', 'expiry_past'],
    ['01 / 27', undefined],
    ['12 / 76', undefined],
    ['12 / 77', 'expiry_incomplete'],
    ['13 / 28', 'expiry_incomplete'],
    ['', 'expiry_incomplete'],
  ])('%j: %s', (text, code) => expect(checkExpiry(text, noon)).toBe(code));

  it('is good until the month ends in the last time zone', () => {
    expect(checkExpiry('03 / 26', at('2026-04-01T11:59:00Z'))).toBe(undefined);
    expect(checkExpiry('03 / 26', at('2026-04-01T12:00:00Z'))).toBe('expiry_past');
  });
});

describe('checkCvc', () => {
  it('wants three digits, four for American Express, either for an unknown brand', () => {
    expect(checkCvc('123', findBrand('4'))).toBe(undefined);
    expect(checkCvc('1234', findBrand('4'))).toBe('cvc_incomplete');
    expect(checkCvc('123', findBrand('37'))).toBe('cvc_incomplete');
    expect(checkCvc('1234', findBrand('37'))).toBe(undefined);
    expect(checkCvc('1234', undefined)).toBe(undefined);
    expect(checkCvc('', undefined)).toBe('cvc_incomplete');
  });
});

describe('checkName and checkPostalCode', () => {
  it('want something', () => {
    expect(checkName('  ')).toBe('name_required');
    expect(checkName('A')).toBe(undefined);
    expect(checkPostalCode('')).toBe('postal_code_required');
    expect(checkPostalCode('SW1A 1AA')).toBe(undefined);
  });
});
