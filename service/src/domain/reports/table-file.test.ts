import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decimalCell, fileName, tableHead, tableLine, textCell } from './table-file.ts';

const columns = ['amount', 'who'];
const tableLineOf = (who: string, style: 'spreadsheet' | 'european' | 'program' | 'json') =>
  tableLine(columns, [decimalCell('-14.90'), textCell(who)], style);

/** Reads one line by RFC 4180. */
function readLine(text: string, separator: string): string[] {
  const cells: string[] = [];
  const pattern = new RegExp(`("(?:[^"]|"")*"|[^"${separator}\\r\\n]*)(${separator}|\\r\\n)`, 'y');
  for (let found = pattern.exec(text); found; found = pattern.exec(text)) {
    const [, cell = ''] = found;
    cells.push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell);
  }
  return cells;
}

describe('tableLine', () => {
  it('writes an amount as the style says, and a negative one is a number', () => {
    expect(tableLineOf('Ada', 'spreadsheet')).toBe('-14.90,Ada\r\n');
    expect(tableLineOf('Ada', 'european')).toBe('-14,90;Ada\r\n');
    expect(tableLineOf('Ada', 'program')).toBe('-14.90,Ada\r\n');
    expect(tableLineOf('Ada', 'json')).toBe('{"amount":"-14.90","who":"Ada"}\n');
  });

  it.each([
    ...['=1+1', '+1', '-1', '@A1', '\t=1', '\r=1', '\n=1'],
    ...['＝1+1', '＋1', '－1', '＠A1'],
  ])('no text is a formula in a spreadsheet, and a program gets it as it is: %j', (text) => {
    expect(readLine(tableLineOf(text, 'spreadsheet'), ',')[1]).toBe(`'${text}`);
    expect(readLine(tableLineOf(text, 'european'), ';')[1]).toBe(`'${text}`);
    expect(readLine(tableLineOf(text, 'program'), ',')[1]).toBe(text);
  });

  it('a text stays one cell, whichever separator the spreadsheet goes by', () => {
    for (const text of ['a;=1+1', 'a,=1+1', 'a\t=1+1']) {
      for (const style of ['spreadsheet', 'european', 'program'] as const) {
        expect(tableLineOf(text, style), style).toContain(`"${text}"`);
      }
    }
  });

  it('any text comes back as it was, whatever stands in it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(readLine(tableLineOf(text, 'program'), ',')).toEqual(['-14.90', text]);
        expect(readLine(tableLineOf(text, 'spreadsheet'), ',')[1]?.replace(/^'/, '')).toBe(
          text.replace(/^'/, ''),
        );
        expect(JSON.parse(tableLineOf(text, 'json')).who).toBe(text);
      }),
    );
  });

  it('spreadsheets get a mark of the encoding, programs do not', () => {
    expect(tableHead(columns, 'spreadsheet')).toBe('\uFEFFamount,who\r\n');
    expect(tableHead(columns, 'european')).toBe('\uFEFFamount;who\r\n');
    expect(tableHead(columns, 'program')).toBe('amount,who\r\n');
    expect(tableHead(columns, 'json')).toBe('');
  });

  it('names say what is in the file, and that it is no real money', () => {
    const parts = ['payments', '2026-11', null, 'Europe/Berlin', 'a"b\r\n'];
    expect(fileName(parts, { style: 'program', isLive: true })).toBe(
      'payments_2026-11_Europe-Berlin_ab.csv',
    );
    expect(fileName(['ledger'], { style: 'json', isLive: false })).toBe('SANDBOX_ledger.jsonl');
  });
});
