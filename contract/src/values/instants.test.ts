import { describe, expect, it } from 'vitest';
import { instantOf } from './instants.ts';

const noon = '2026-11-26T12:00:00.000Z';

describe('instantOf', () => {
  it.each([
    ['JavaScript', '2026-11-26T12:00:00.000Z', noon],
    ['Go, RFC 3339', '2026-11-26T13:00:00+01:00', noon],
    ['Go, with nanoseconds', '2026-11-26T12:00:00.123456789Z', '2026-11-26T12:00:00.123Z'],
    ['Java, Instant', '2026-11-26T12:00:00Z', noon],
    ['Java, an offset without seconds', '2026-11-26T12:00Z', noon],
    ['Python, isoformat', '2026-11-26T12:00:00.999999+00:00', '2026-11-26T12:00:00.999Z'],
    ['Python, strftime %z', '2026-11-26T06:30:00-0530', noon],
    ['.NET, round trip', '2026-11-26T12:00:00.1234567Z', '2026-11-26T12:00:00.123Z'],
    ['PHP, DATE_ATOM', '2026-11-26T12:00:00+00:00', noon],
    ['PostgreSQL, hours alone', '2026-11-26T14:00:00+02', noon],
    ['a decimal comma, ISO 8601', '2026-11-26T12:00:00,5Z', '2026-11-26T12:00:00.500Z'],
    ['small letters, RFC 3339', '2026-11-26t12:00:00z', noon],
    ['over the end of a year', '2026-12-31T23:30:00-01:00', '2027-01-01T00:30:00.000Z'],
  ])('%s: %s', (_, text, expected) => {
    expect(instantOf(text)).toBe(expected);
  });

  it.each([
    '2026-11-26',
    '2026-11-26T12:00:00',
    '2026-11-26 12:00:00Z',
    '2026-02-31T12:00:00Z',
    '2026-13-01T12:00:00Z',
    '2026-11-26T25:00:00Z',
    '2026-11-26T12:60:00Z',
    '2026-11-26T12:00:61Z',
    '2026-11-26T12:00:00.1234567890Z',
    '2026-11-26T12:00:00+24:00',
    '2026-11-26T12:00:00+01:60',
    '0000-01-01T00:00:00Z',
    '0001-01-01T00:00:00+01:00',
    '9999-12-31T23:59:59-01:00',
    '1764158400',
    '',
  ])('is none: %j', (text) => {
    expect(instantOf(text)).toBeUndefined();
  });
});
