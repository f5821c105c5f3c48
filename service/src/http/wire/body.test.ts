import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../domain/protocol/canonical-json.ts';
import { parseJson, readBody } from './body.ts';

const reads = (read: (text: string) => unknown, text: string): boolean => {
  try {
    read(text);
    return true;
  } catch {
    return false;
  }
};

describe('parseJson', () => {
  it('reads what JSON.parse reads, to the same value', () => {
    const isStorable = (text: string) => text.isWellFormed() && !text.includes('\\u0000');
    fc.assert(
      fc.property(
        fc
          .json({ maxDepth: 6 })
          .filter((text) => isStorable(text) && !/"([^"\\]*)":.*"\1":/s.test(text)),
        (text) => {
          expect(parseJson(text)).toEqual(JSON.parse(text));
        },
      ),
    );
  });

  it('agrees with the canonical form on what is one JSON text', () => {
    const parts = [
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '"b"',
      '"\\u0061"',
      '1',
      '-',
      '0',
      '.5',
      'e3',
      'null',
      ' ',
      '"',
    ];
    const text = fc.array(fc.constantFrom(...parts), { maxLength: 10 }).map((all) => all.join(''));
    fc.assert(
      fc.property(text, (t) => {
        expect(reads(parseJson, t)).toBe(reads(canonicalJson, t));
      }),
      { numRuns: 20_000 },
    );
  });

  it.each([
    '{"a":1,"a":1}',
    '{"a":1,"\\u0061":1}',
    '{"x":{"a":1,"b":{},"a":2}}',
    '[{"a":[],"a":1}]',
    '{"":1,"":2}',
  ])('refuses duplicate keys: %s', (text) => {
    expect(() => parseJson(text)).toThrow('duplicate key');
  });

  it.each(['{"a":{"a":1}}', '[{"a":1},{"a":1}]', '{"a":"a","b":"a"}', '{"a":["a","a"]}'])(
    'equal keys elsewhere are fine: %s',
    (text) => {
      expect(parseJson(text)).toEqual(JSON.parse(text));
    },
  );

  it('holds its limits exactly', () => {
    const nestedArrays = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    const keys = (n: number) => `{${Array.from({ length: n }, (_, i) => `"k${i}":1`)}}`;
    const string = (n: number) => `"${'a'.repeat(n)}"`;
    expect([20, 21].map((n) => reads(parseJson, nestedArrays(n)))).toEqual([true, false]);
    expect([1000, 1001].map((n) => reads(parseJson, keys(n)))).toEqual([true, false]);
    expect([8192, 8193].map((n) => reads(parseJson, string(n)))).toEqual([true, false]);
  });

  it('takes linear time on hostile texts', () => {
    const start = process.threadCpuUsage();
    for (const text of [
      '"'.repeat(65_536),
      '['.repeat(65_536),
      '"\\'.repeat(32_000),
      `"${'\\'.repeat(65_000)}`,
      '1'.repeat(65_536),
      '-'.repeat(65_536),
      `{${'"a":'.repeat(13_000)}`,
    ]) {
      reads(parseJson, text);
    }
    expect(process.threadCpuUsage(start).user / 1000).toBeLessThan(500);
  });
});

describe('readBody', () => {
  it('keeps prototypes clean', () => {
    const { value } = readBody(Buffer.from('{"__proto__":{"polluted":true},"constructor":1}'));
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor']);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it.each([
    '{"a":"4242424242424242"}',
    '{"a":4242424242424242}',
    '{"4242424242424242":1}',
    '{"a":["x 5555-5555-5555-4444 y"]}',
    '{"a":"3782 822463 10005"}',
    '{"a":"\\u0034242424242424242"}',
    ...['\\t', '\\n', '\\r\\n', '\u2013', '\u2011', ', ', ':', '    ', '\u00a0', '\\u200b'].map(
      (between) => `{"a":{"b":"${['4242', '4242', '4242', '4242'].join(between)}"}}`,
    ),
  ])('400 raw_card_data_forbidden: %s', (text) => {
    expect(() => readBody(Buffer.from(text))).toThrow(
      expect.objectContaining({ code: 'raw_card_data_forbidden' }),
    );
  });

  it.each([
    '{"a":"018f6e5c-4242-4242-8242-424242424242"}',
    '{"a":1234567890123456}',
    '{"a":"order 4242"}',
    '{"a":"+49 30 1234567"}',
  ])('leaves alone what is no card number: %s', (text) => {
    expect(readBody(Buffer.from(text)).value).toEqual(JSON.parse(text));
  });
});
