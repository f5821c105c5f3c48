import { describe, expect, it } from 'vitest';
import { isTimeZone } from './time-zone.ts';

describe('isTimeZone', () => {
  it.each([
    'UTC',
    'Europe/Berlin',
    'Pacific/Auckland',
    'America/Argentina/Buenos_Aires',
    'Etc/GMT+5',
  ])('takes %s', (name) => expect(isTimeZone(name)).toBe(true));

  it.each([
    '',
    '+02:00',
    'Europe/Bärlin',
    'Europe/Nowhere',
    'Berlin',
    "UTC'; select 1",
    'a'.repeat(65),
  ])('refuses %s', (name) => expect(isTimeZone(name)).toBe(false));
});
