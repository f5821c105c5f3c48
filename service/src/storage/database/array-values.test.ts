// What the server reads out of each binary array, against the same values as text.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshDatabase, newId, type TestDatabase } from '../../../test/harness.ts';
import * as types from './array-values.ts';
import { sql } from './sql.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await freshDatabase();
});
afterAll(() => db?.close());

let count = 0;
const nextNumber = (): number => {
  count += 1;
  return count;
};
const read = async (name: string, type: types.ElementType, values: readonly unknown[]) => {
  const query = sql<{ found: string[] }>(
    `test_array_${nextNumber()}`,
    `select array(select e::text from unnest($1::${name}[]) with ordinality u(e, n) order by n)
       as found`,
  );
  const [row] = await db.database.read(query, [types.arrayValue(type, values)]);
  return row?.found;
};

describe('arrayValue', () => {
  it('uuid', async () => {
    const ids = [newId(), newId()];
    expect(await read('uuid', types.uuids, [ids[0], null, ids[1]])).toEqual([ids[0], null, ids[1]]);
  });

  it('text: quotes, backslashes, braces, line ends and every plane as they are', async () => {
    const texts = [
      '',
      'a "b" \\ {c,d}',
      'NULL',
      'zeile\n\t',
      'ß漢字😀',
      '\u{1f469}\u200d\u{1f680}',
    ];
    expect(await read('text', types.texts, [...texts, undefined])).toEqual([...texts, null]);
  });

  it('bytea', async () => {
    const bytes = Buffer.from([0, 1, 92, 34, 255]);
    expect(await read('bytea', types.byteStrings, [bytes, Buffer.alloc(0)])).toEqual([
      '\\x00015c22ff',
      '\\x',
    ]);
  });

  it('integer, bigint, double precision', async () => {
    expect(await read('int', types.integers, [0, -1, 2147483647])).toEqual([
      '0',
      '-1',
      '2147483647',
    ]);
    const large = [0, -1, 999_999_999_999_999, Number.MAX_SAFE_INTEGER];
    expect(await read('bigint', types.bigIntegers, large)).toEqual(large.map(String));
    expect(await read('double precision', types.doubles, [0.5, -30000, 1e300])).toEqual([
      '0.5',
      '-30000',
      '1e+300',
    ]);
  });

  it('timestamptz: before and after 2000, to the millisecond', async () => {
    const moments = [
      '1969-12-31T23:59:59.999Z',
      '2000-01-01T00:00:00.000Z',
      '2026-02-28T23:59:59.001Z',
    ];
    expect(
      await read(
        'timestamptz',
        types.instants,
        moments.map((text) => new Date(text)),
      ),
    ).toEqual([
      '1969-12-31 23:59:59.999+00',
      '2000-01-01 00:00:00+00',
      '2026-02-28 23:59:59.001+00',
    ]);
  });

  it('boolean, jsonb', async () => {
    expect(await read('boolean', types.booleans, [true, null, false])).toEqual([
      'true',
      null,
      'false',
    ]);
    const json = JSON.stringify({ a: ['"', '\\', 'é😀'] });
    expect(await read('jsonb', types.jsonTexts, [json, '[]'])).toEqual([
      '{"a": ["\\"", "\\\\", "é😀"]}',
      '[]',
    ]);
  });

  it('an empty array', async () => {
    expect(await read('text', types.texts, [])).toEqual([]);
  });
});

describe('packColumns', () => {
  it('one array per type, in the order of the rows', () => {
    const rows = [
      [1, 'a'],
      [2, null],
    ];
    expect(types.packColumns([types.integers, types.texts], rows)).toEqual([
      types.arrayValue(types.integers, [1, 2]),
      types.arrayValue(types.texts, ['a', null]),
    ]);
  });
});
