import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from './canonical-json.ts';

/** A JSON text of the value with members in another order, other spacing, other escapes. */
function rewrite(value: unknown, random: () => number): string {
  const drawBlank = () => [' ', '', '\n', '\t\r '][Math.floor(random() * 4)] ?? '';
  const spellJson = (text: string) =>
    `"${[...JSON.stringify(text).slice(1, -1)].join('')}"`.replace(/[a-z](?![^"]*\\)/g, (c) =>
      random() < 0.1 ? `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}` : c,
    );
  const write = (v: unknown): string => {
    if (typeof v === 'string')
      return v.includes('\\') || /[^a-z]/.test(v) ? JSON.stringify(v) : spellJson(v);
    if (Array.isArray(v))
      return `[${v.map((x) => drawBlank() + write(x) + drawBlank()).join(',')}]`;
    if (v && typeof v === 'object') {
      const members = Object.entries(v).map((entry) => ({ entry, order: random() }));
      members.sort((a, b) => a.order - b.order);
      const texts = members.map(
        ({ entry: [k, x] }) =>
          `${drawBlank()}${JSON.stringify(k)}${drawBlank()}:${drawBlank()}${write(x)}`,
      );
      return `{${texts.join(',')}${drawBlank()}}`;
    }
    return JSON.stringify(v);
  };
  return drawBlank() + write(value) + drawBlank();
}

const json = fc.jsonValue({ maxDepth: 5 }).filter((v) => JSON.stringify(v).isWellFormed());

describe('canonicalJson', () => {
  it('skipsNull: leaves out what is null in the outer object, and nowhere else', () => {
    const skipsNull = { skipsNull: true };
    expect(canonicalJson('{"a":null,"b":{"c":null},"d":[null]}', skipsNull)).toBe(
      canonicalJson('{"b":{"c":null},"d":[null]}'),
    );
    expect(canonicalJson('{"a":null}', skipsNull)).toBe('{}');
    expect(canonicalJson('{"a":"null"}', skipsNull)).toBe('{"a":"null"}');
    expect(canonicalJson('[null]', skipsNull)).toBe('[null]');
    expect(() => canonicalJson('{"a":null,"a":1}', skipsNull)).toThrow('duplicate key');
    expect(canonicalJson('{"a":null}')).toBe('{"a":null}');
  });

  it.each([
    ['{"b":1,"a":2}', '{"a":2e0,"b":1e0}'],
    [' { } ', '{}'],
    ['[true,false,null]', '[true,false,null]'],
    ['"\\u0041\\/\\n"', '"A/\\n"'],
    ['{"\\u0061":1,"B":2}', '{"B":2e0,"a":1e0}'],
    ['{"😀":1,"\\uffff":2}', '{"😀":1e0,"\uffff":2e0}'],
  ])('%s becomes %s', (text, form) => {
    expect(canonicalJson(text)).toBe(form);
  });

  it.each([
    ['1.50', '15e-1', '0.15E1', '150e-2', '1.5'],
    ['0', '-0', '0.000', '0e99', '-0e-5'],
    ['100', '1e2', '1E+2', '10e1'],
    ['-12.30', '-123e-1'],
    ['1e400', '10e399'],
  ])('one number, one form: %s', (...texts) => {
    expect(new Set(texts.map((text) => canonicalJson(text))).size).toBe(1);
  });

  it.each([
    ['9007199254740993', '9007199254740992'],
    ['1e400', '1e401'],
    ['0.1', '0.10000000000000001'],
    ['1', '"1"'],
    ['1', '-1'],
    ['1', 'true'],
    ['null', '{}'],
    ['{"a":null}', '{}'],
    ['[]', '{}'],
    ['[1,2]', '[2,1]'],
    ['"é"', '"e\u0301"'],
    ['"a"', '"A"'],
    ['{"a":{"b":1}}', '{"a":{},"b":1}'],
    ['["1e0"]', '[1]'],
  ])('%s and %s differ', (one, other) => {
    expect(canonicalJson(one)).not.toBe(canonicalJson(other));
  });

  const nestedArrays = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
  it('reads 20 levels and refuses 21', () => {
    expect(canonicalJson(nestedArrays(20))).toBe(nestedArrays(20));
    expect(() => canonicalJson(nestedArrays(21))).toThrow(SyntaxError);
    expect(() => canonicalJson(nestedArrays(100_000))).toThrow(SyntaxError);
  });

  it.each([
    '',
    ' ',
    '{',
    '}',
    '{"a"}',
    '{"a":}',
    '{"a":1,}',
    '[1,]',
    '[,1]',
    '01',
    '1.',
    '.5',
    '+1',
    '1e',
    '--1',
    'NaN',
    'Infinity',
    'undefined',
    "'a'",
    '"a',
    '"\t"',
    '"\\x41"',
    '"\\u12"',
    '{"a":1}{"b":2}',
    '1 2',
    '// c\n1',
    '/* c */1',
    '\ufeff{}',
    '\u00a0{}',
    '{"a":1,"a":1}',
    '{"a":1,"\\u0061":2}',
    '{"__proto__":1,"__proto__":2}',
    '"\\ud800"',
    '{"\\udc00":1}',
    'tru',
    'nullx',
    '{a:1}',
    '[1}',
    '{"a":1]',
    '0x10',
    '1_000',
  ])('refuses %j', (text) => {
    expect(() => canonicalJson(text)).toThrow(SyntaxError);
  });

  it('refuses what is cut anywhere', () => {
    const text = '{"a":[1.5,"b\\u0041",{"c":null}],"d":true}';
    for (let length = 0; length < text.length; length++) {
      expect(() => canonicalJson(text.slice(0, length)), text.slice(0, length)).toThrow(
        SyntaxError,
      );
    }
  });

  it('order of members, white space and escapes do not matter', () => {
    fc.assert(
      fc.property(
        json,
        fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true })),
        (value, stream) => {
          const random = () => Number(stream.next().value);
          expect(canonicalJson(rewrite(value, random))).toBe(canonicalJson(JSON.stringify(value)));
        },
      ),
    );
  });

  it('different values have different forms, and the form is JSON of the same value', () => {
    fc.assert(
      fc.property(json, json, (one, other) => {
        const [a, b] = [canonicalJson(JSON.stringify(one)), canonicalJson(JSON.stringify(other))];
        const copyPlain = (v: unknown) => JSON.parse(JSON.stringify(v)) as unknown;
        expect(copyPlain(JSON.parse(a))).toEqual(copyPlain(one));
        if (a === b) expect(copyPlain(one)).toEqual(copyPlain(other));
      }),
    );
  });

  it('accepts what JSON.parse accepts, but for duplicates, depth and surrogates', () => {
    const fragments = [
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '"b"',
      '1',
      '-',
      '0',
      '.5',
      'e3',
      'true',
      ' ',
      '\\',
    ];
    const text = fc
      .array(fc.constantFrom(...fragments), { maxLength: 9 })
      .map((parts) => parts.join(''));
    const accepts = (read: (t: string) => unknown, t: string) => {
      try {
        read(t);
        return true;
      } catch {
        return false;
      }
    };
    fc.assert(
      fc.property(text, (t) => {
        const isDuplicate = /"a".*"a"|"b".*"b"/.test(t);
        if (!isDuplicate) expect(accepts(canonicalJson, t)).toBe(accepts(JSON.parse, t));
      }),
      { numRuns: 5000 },
    );
  });
});
