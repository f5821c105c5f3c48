// Contract §1, raw_card_data_forbidden: 13 to 19 digits, with or without separators, that have a
// known issuer prefix, that brand's length and a valid Luhn digit. Nothing else.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type BrandFacts,
  brands,
  containsCardNumber,
  findBrand,
  hasLuhnDigit,
  redactCardNumbers,
} from './card-number.ts';

const known = {
  visa: '4242424242424242',
  'visa, 13 digits': '4222222222222',
  'visa, 19 digits': '4000000000000000006',
  mastercard: '5555555555554444',
  'mastercard, 2 series': '2223003122003222',
  amex: '378282246310005',
  discover: '6011111111111117',
  jcb: '3566002020360505',
  diners: '30569309025904',
  unionpay: '6200000000000005',
} as const;

const withDigit = (digits: string): string => {
  for (let last = 0; last < 10; last++) if (hasLuhnDigit(digits + last)) return digits + last;
  throw new Error('one of ten digits is right');
};

/** Any number of the brand, with its prefix, a length of it, and the right last digit. */
const numberOf = (brand: BrandFacts): fc.Arbitrary<string> =>
  fc
    .record({
      range: fc.constantFrom(...brand.prefixes),
      length: fc.constantFrom(...brand.lengths),
      at: fc.double({ min: 0, max: 0.999, noNaN: true }),
      digits: fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 19, maxLength: 19 }),
    })
    .map(({ range: [from, to], length, at, digits }) => {
      const prefix = String(from + Math.floor(at * (to - from + 1)));
      return withDigit((prefix + digits.join('')).slice(0, length - 1));
    });

describe('hasLuhnDigit', () => {
  it('takes exactly one of ten last digits, and no number with one digit changed', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^\d{12,18}$/),
        fc.nat(11),
        fc.integer({ min: 1, max: 9 }),
        (...of) => {
          const [digits, place, by] = of;
          const right = withDigit(digits);
          const others = [...'0123456789'].filter((last) => hasLuhnDigit(digits + last));
          expect(others).toEqual([right.at(-1)]);
          const changed = [...right];
          changed[place] = String((Number(changed[place]) + by) % 10);
          expect(hasLuhnDigit(changed.join(''))).toBe(false);
        },
      ),
    );
  });

  it('nothing has none', () => {
    expect(hasLuhnDigit('')).toBe(false);
  });
});

describe('findBrand', () => {
  it.each(brands.map((brand) => [brand.brand, brand] as const))(
    '%s by its prefixes',
    (name, brand) => {
      for (const [from, to] of brand.prefixes) {
        expect(findBrand(String(from).padEnd(16, '0'))?.brand).toBe(name);
        expect(findBrand(String(to).padEnd(16, '0'))?.brand).toBe(name);
      }
    },
  );

  it.each([
    ['', undefined],
    ['2', undefined],
    ['222', undefined],
    ['2220', undefined],
    ['2221', 'mastercard'],
    ['2720', 'mastercard'],
    ['2721', undefined],
    ['50', undefined],
    ['51', 'mastercard'],
    ['55', 'mastercard'],
    ['56', undefined],
    ['34', 'amex'],
    ['35', undefined],
    ['3527', undefined],
    ['3528', 'jcb'],
    ['36', 'diners'],
    ['306', undefined],
    ['309', 'diners'],
    ['643', undefined],
    ['644', 'discover'],
    ['601', undefined],
    ['6011', 'discover'],
    ['1', undefined],
    ['9', undefined],
  ])('%s: %s', (digits, brand) => {
    expect(findBrand(digits)?.brand).toBe(brand);
  });
});

describe('containsCardNumber', () => {
  it.each(Object.entries(known))('%s: alone and in a sentence', (_, number) => {
    expect(containsCardNumber(number)).toBe(true);
    for (const text of [
      `card ${number} please`,
      `"${number}"`,
      `(${number})`,
      `${number},12/34`,
      `a:${number};b`,
      `\n${number}\n`,
      `=${number}&cvc=123`,
    ]) {
      expect(containsCardNumber(text), text).toBe(true);
    }
  });

  it.each(brands.map((brand) => [brand.brand, brand] as const))(
    '%s: any number, written in its groups with a space, dash or dot between',
    (_, brand) => {
      fc.assert(
        fc.property(numberOf(brand), fc.constantFrom(' ', '-', '.'), (number, between) => {
          const groups: string[] = [];
          let rest = number;
          for (const size of [...brand.groups, 19]) {
            if (rest) groups.push(rest.slice(0, size));
            rest = rest.slice(size);
          }
          expect(containsCardNumber(number)).toBe(true);
          expect(containsCardNumber(groups.join(between))).toBe(true);
          expect(containsCardNumber(`x ${groups.join(between)} y`)).toBe(true);
        }),
        { numRuns: 200 },
      );
    },
  );

  it.each(brands.map((brand) => [brand.brand, brand] as const))(
    '%s: also where letters touch it, and never with a wrong last digit',
    (_, brand) => {
      fc.assert(
        fc.property(numberOf(brand), fc.integer({ min: 1, max: 9 }), (number, by) => {
          const wrong = number.slice(0, -1) + ((Number(number.at(-1)) + by) % 10);
          expect(containsCardNumber(wrong)).toBe(false);
          expect(containsCardNumber(`x${wrong}y`)).toBe(false);
          expect(containsCardNumber(`a${number}`)).toBe(true);
          expect(containsCardNumber(`${number}z`)).toBe(true);
          expect(containsCardNumber(`order-x${number}y`)).toBe(true);
        }),
        { numRuns: 200 },
      );
    },
  );

  const separators = {
    blank: ' ',
    'several blanks': '     ',
    tab: '\t',
    'line break': '\n',
    CRLF: '\r\n',
    'no-break space': '\u00a0',
    'thin space': '\u2009',
    dash: '-',
    'en dash': '\u2013',
    'em dash': ' \u2014 ',
    'non-breaking hyphen': '\u2011',
    'minus sign': '\u2212',
    'soft hyphen': '\u00ad',
    'zero-width space': '\u200b',
    'zero-width joiner': '\u2060',
    comma: ', ',
    semicolon: ';',
    colon: ':',
    'vertical bar': ' | ',
    'middle dot': '\u00b7',
    underscore: '_',
    'quotes of a JSON list': '","',
  };
  it.each(Object.entries(separators))('in its groups, apart by: %s', (_, between) => {
    for (const groups of ['4242 4242 4242 4242', '3782 822463 10005', '3056 930902 5904']) {
      const text = groups.replaceAll(' ', between);
      expect(containsCardNumber(text), groups).toBe(true);
      expect(containsCardNumber(`Paid by "${text}".`), groups).toBe(true);
    }
    expect(containsCardNumber([...'4242424242424242'].join(between))).toBe(true);
  });

  it.each([
    '٤٢٤٢٤٢٤٢٤٢٤٢٤٢٤٢',
    '۴۲۴۲ ۴۲۴۲ ۴۲۴۲ ۴۲۴۲',
    '４２４２－４２４２－４２４２－４２４２',
    '४२४२४२४२४२४२४२४२',
    ...['⓸⓶', '❹❷', '➃➁', '➍➋'].map((two) => two.repeat(8)),
    '❹⓿⓿⓿⓿⓿⓿⓿⓿⓿⓿⓿⓿⓿⓿❷',
  ])('in digits of another script: %s', (text) => expect(containsCardNumber(text)).toBe(true));

  it('in the digits of every script, percent-encoded ones too, and replaced in logs', () => {
    const systems = Intl.supportedValuesOf('numberingSystem').flatMap((system) => {
      const format = new Intl.NumberFormat(`en-u-nu-${system}`, { useGrouping: false });
      const text = format.format(4242424242424242n);
      return /^\p{Nd}+$/u.test(text) ? [[system, text] as const] : [];
    });
    expect(systems.length).toBeGreaterThan(60);
    for (const [system, text] of systems) {
      expect(containsCardNumber(`x ${text}.`), system).toBe(true);
      expect(containsCardNumber(encodeURIComponent(text)), system).toBe(true);
      expect(
        redactCardNumbers(`x ${text}.`, () => '#'),
        system,
      ).toBe('x #.');
    }
  });

  it.each([
    'Visa4242 4242 4242 4242',
    'Card4242424242424242',
    'no4242424242424242.',
    'PAN_4242424242424242',
    'pi_4242424242424242',
    'pan-4242424242424242',
    '4242424242424242x',
    '4242424242424242exp1230cvc123',
    'カード4242424242424242です',
    'Карта4242 4242 4242 4242',
    'face4242424242424242',
    'order-4242-4242-4242-4242x',
  ])('beside letters: %s', (text) => expect(containsCardNumber(text)).toBe(true));

  it.each([
    'metadata.a=4242%204242%204242%204242',
    'email=%34%32%34%32%34%32%34%32%34%32%34%32%34%32%34%32',
    '4242%2D4242%2d4242%2D4242',
    '4242%25204242%25204242%25204242',
    '%25253424242424242424%32',
    'x=%D9%A4%D9%A24242424242424%32',
    '%ff4242%ff4242%ff4242%ff4242',
    '100%: 4242%204242%204242%204242',
    '&#52;&#50;'.repeat(8),
    '&#052&#050'.repeat(8),
    '&#x34;&#X32;'.repeat(8),
    '\\u0034\\u{32}'.repeat(8),
    '\\x34\\x32'.repeat(8),
    `&#9999999;${'4242&#32;'.repeat(4)}`,
  ])('encoded: %s', (text) => expect(containsCardNumber(text)).toBe(true));

  it('not in random digests, event ids and tokens, nor in valid IBANs', () => {
    const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((one) => Buffer.from(one));
    fc.assert(
      fc.property(bytes, (random) => {
        const hex = random.toString('hex');
        for (const text of [hex, `evt_${hex.slice(32)}`, `sha-${hex}.`, hex.toUpperCase()]) {
          expect(containsCardNumber(text), text).toBe(false);
        }
        expect(containsCardNumber(random.toString('base64url'))).toBe(false);
      }),
      { numRuns: 20_000 },
    );
    const digits = fc.stringMatching(/^\d{14}$/);
    fc.assert(
      fc.property(fc.constantFrom('DK', 'FI', 'BE'), digits, (country, account) => {
        const letters = [...country].map((letter) => letter.charCodeAt(0) - 55).join('');
        const check = 98n - (BigInt(`${account}${letters}00`) % 97n);
        const iban = `${country}${String(check).padStart(2, '0')}${account}`;
        for (const text of [iban, iban.replace(/.{4}(?=.)/g, '$& '), `to ${iban}, please`]) {
          expect(containsCardNumber(text), text).toBe(false);
        }
      }),
      { numRuns: 5000 },
    );
  });

  it('a UUID inside a longer id hides none and is none', () => {
    fc.assert(
      fc.property(fc.uuid(), (id) => {
        expect(containsCardNumber(`order-${id}-capture`)).toBe(false);
        expect(containsCardNumber(`order-${id}-4242424242424242`)).toBe(true);
      }),
      { numRuns: 5000 },
    );
  });

  it.each([
    '2026-01-31 12:00:00.000, 2026-02-28 12:00:00.000',
    '(555) 123-4567, (555) 123-4568',
    'x=4242, y=4242, z=4242, w=4242',
    '4.99, 12.50, 3.00, 42.00, 4242.42',
  ])('not in %j', (text) => {
    expect(containsCardNumber(text)).toBe(false);
  });

  it.each([
    '',
    'hello',
    '4242 4242 4242 424',
    '4242424242424241',
    '1234567890123456',
    '0000000000000000',
    '9999999999999995',
    '42424242424242424242424242424242',
    '01900000-0000-7000-8000-000000000001',
    '0190aaaa-4242-7424-8424-242424242424',
    '2026-11-21T10:34:40.123Z',
    '1800000000000',
    '1763721280123',
    '20261121103440',
    '+49 171 1234567',
    'DE89 3704 0044 0532 0130 00',
    'ch_3M4242424242424242',
    '4242.4242',
    '192.168.100.200',
    '3.14159265358979',
    '9007199254740991',
  ])('not in %j', (text) => {
    expect(containsCardNumber(text)).toBe(false);
  });

  it('a UUID of digits alone is none, and one with more digits hides none', () => {
    const id = '42424242-4242-4242-8000-000000000000';
    for (const text of [id, `${id} ${id}`, `user ${id}.`]) {
      expect(containsCardNumber(text)).toBe(false);
    }
    expect(containsCardNumber('4242-4242-4242-4242')).toBe(true);
    expect(containsCardNumber(`${id} 4242-4242-4242-4242`)).toBe(true);
    expect(containsCardNumber('42424242-4242-4242-0000-000000000000')).toBe(true);
  });

  it('no UUID and no time of the next century is one', () => {
    fc.assert(
      fc.property(fc.uuid(), (id) => {
        expect(containsCardNumber(id)).toBe(false);
        expect(containsCardNumber(`session ${id}, payment ${id}.`)).toBe(false);
      }),
      { numRuns: 20_000 },
    );
    fc.assert(
      fc.property(
        fc.date({ min: new Date('2020-01-01'), max: new Date('2099-12-31'), noInvalidDate: true }),
        (date) => {
          expect(containsCardNumber(date.toISOString())).toBe(false);
          expect(containsCardNumber(String(Math.floor(date.getTime() / 1000)))).toBe(false);
        },
      ),
      { numRuns: 5000 },
    );
  });

  it('a long text is read in a moment, whatever it is made of', () => {
    const pieces = [
      '4',
      '4 ',
      '4-',
      '1 ',
      '๑',
      '42424242 ',
      '4a',
      ' -.',
      '4242424242424241 ',
      '%25',
      '%34',
    ];
    for (const piece of [...pieces, '%', 'AB12 ', 'a', '%ff']) {
      const text = piece.repeat(Math.ceil(65_536 / piece.length));
      const started = process.threadCpuUsage();
      containsCardNumber(text);
      redactCardNumbers(text, () => '');
      expect(process.threadCpuUsage(started).user / 1000, JSON.stringify(piece)).toBeLessThan(1500);
    }
  });
});

describe('redactCardNumbers', () => {
  const redact = (line: string) => redactCardNumbers(line, () => '[redacted]');

  it.each([
    ['card 4242 4242 4242 4242!', 'card [redacted]!'],
    ['Visa4242424242424242x', 'Visa[redacted]x'],
    ['99424242424242424200', '[redacted]'],
    ['a=4242%204242%204242%204242&b=1', 'a=[redacted]&b=1'],
    ['%34%32%34%32%34%32%34%32%34%32%34%32%34%32%34%32', '[redacted]'],
    ['４２４２４２４２４２４２４２４２', '[redacted]'],
    ['٤٢٤٢٤٢٤٢٤٢٤٢٤٢٤٢', '[redacted]'],
  ])('%s', (line, cut) => expect(redact(line)).toBe(cut));

  it('leaves UUIDs, instants and addresses', () => {
    const line = '2026-11-29T02:36:16.172Z 192.168.100.200 42424242-4242-4242-8000-000000000000';
    expect(redact(line)).toBe(line);
  });
});
