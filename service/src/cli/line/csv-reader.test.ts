import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readCsv } from './csv-reader.ts';

async function readAll(...pieces: string[]) {
  const found = [];
  for await (const each of readCsv(pieces)) found.push(each);
  return found;
}
const cells = async (...pieces: string[]) =>
  (await readAll(...pieces)).map((record) => ('cells' in record ? record.cells : record.code));

/** RFC 4180, every cell quoted. */
const lineOf = (row: readonly string[]): string =>
  `${row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',')}\r\n`;

describe('readCsv', () => {
  it.each([
    ['comma and LF', 'a,b\n1,2\n'],
    ['semicolon and CRLF', 'a;b\r\n1;2\r\n'],
    ['tab and CR', 'a\tb\r1\t2'],
    ['no last line break', 'a,b\n1,2'],
    ['blank lines', '\n\na,b\r\n , \r\n\r\n1,2\n\n'],
    ['quotes', '"a","b"\n"1",2\n'],
  ])('%s', async (_what, text) => {
    expect(await cells(text)).toEqual([
      ['a', 'b'],
      ['1', '2'],
    ]);
  });

  it('quoted cells keep separators, quotes and line breaks; lines are counted on', async () => {
    expect(await readAll('a,b\r\n"1,\r\n2","say ""hi"""\r\n3,\n')).toEqual([
      { line: 1, cells: ['a', 'b'] },
      { line: 2, cells: ['1,\r\n2', 'say "hi"'] },
      { line: 4, cells: ['3', ''] },
    ]);
  });

  it('the separator is the one of the first line, quotes aside', async () => {
    expect(await cells('"a,b,c";d\n1,5;2\n')).toEqual([
      ['a,b,c', 'd'],
      ['1,5', '2'],
    ]);
  });

  it('a quote within a cell is a quote, as 3" is', async () => {
    expect(await cells('a,b\n3" pipe,2\n')).toEqual([
      ['a', 'b'],
      ['3" pipe', '2'],
    ]);
  });

  it('blanks around a quoted cell are no part of it', async () => {
    expect(await cells('a, "b"\nmug, "A mug, large" \n')).toEqual([
      ['a', 'b'],
      ['mug', 'A mug, large'],
    ]);
  });

  it('a defect is of its line, and the next line is read', async () => {
    expect(await readAll('a,b\n"1"x,2\n3,4\n"5,6')).toEqual([
      { line: 1, cells: ['a', 'b'] },
      { line: 2, code: 'quote_misplaced', message: expect.any(String) },
      { line: 3, cells: ['3', '4'] },
      { line: 4, code: 'quote_not_closed', message: expect.any(String) },
    ]);
  });

  it('an endless cell is given up at 64 kB, quoted or not; reading goes on at a line', async () => {
    const long = 'x'.repeat(70_000);
    expect(await cells(`a\n"${long}\n${long}\nb\n`)).toEqual([
      ['a'],
      'quote_not_closed',
      'line_too_long',
      ['b'],
    ]);
  });

  it('an empty text has no records', async () => {
    expect(await readAll()).toEqual([]);
    expect(await readAll('', '\r\n')).toEqual([]);
  });

  it('however the text is cut into pieces, and whatever is in the cells', async () => {
    const cell = fc.string({ unit: fc.constantFrom('a', ',', ';', '"', '\r', '\n', ' ', 'ß') });
    const rows = fc.array(fc.array(cell, { minLength: 2, maxLength: 2 }), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(rows, fc.array(fc.nat(200), { maxLength: 6 }), async (given, cuts) => {
        const text = [['h1', 'h2'], ...given].map(lineOf).join('');
        const marks = [0, ...cuts.map((cut) => cut % (text.length + 1)), text.length];
        marks.sort((a, b) => a - b);
        const pieces = marks.slice(1).map((end, index) => text.slice(marks[index], end));
        const kept = given.filter((row) => row.some((one) => one.trim() !== ''));
        expect((await cells(...pieces)).slice(1)).toEqual(kept);
      }),
      { numRuns: 500 },
    );
  });
});
