// A column that somebody can write into without a line in the table of forgetting is found before any database is
// there: the migrations are read as text. forget-columns.test.ts asks a real database.

import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { columnsWithLine, judgeColumns } from './forgotten-tables.ts';

const root = new URL('../../../../', import.meta.url);
const written = ['service/migrations', 'vault/migrations']
  .flatMap((folder) =>
    readdirSync(new URL(folder, root)).map((name) =>
      readFileSync(new URL(`${folder}/${name}`, root), 'utf8'),
    ),
  )
  .join('\n');

const typed = '(\\w+) (?:text|json|jsonb|bytea|character varying|varchar)\\b';
const columnsOf = (sql: string): string[] => [
  ...[...sql.matchAll(/^create (?:unlogged )?table ([\w.]+) \(\n(.*?)^\)/gms)].flatMap(
    ([, table, body = '']) =>
      [...body.matchAll(new RegExp(`^  ${typed}`, 'gm'))].map(([, column]) => `${table}.${column}`),
  ),
  ...[...sql.matchAll(new RegExp(`alter table ([\\w.]+)[^;]*?add (?:column )?${typed}`, 'g'))].map(
    ([, table, column]) => `${table}.${column}`,
  ),
];

describe('the table of forgetting', () => {
  it('has a line for every column that the migrations make, and no other', () => {
    expect(judgeColumns(columnsOf(written)).join('\n')).toBe('');
  });

  it('says in one sentence what a new column, a column that is gone and a second line want', () => {
    const more = `${written}
create table wishes (
  id uuid primary key,
  wish text not null
);
alter table payments add column nickname text;`;
    const place = 'service/src/domain/people/forgotten-tables.ts';
    const wanted = `has no line in ${place}: say there what forgetting a customer does with it, and make forget_customer do it`;
    expect(judgeColumns(columnsOf(more))).toEqual([
      `wishes.wish ${wanted}`,
      `payments.nickname ${wanted}`,
    ]);
    const fewer = columnsWithLine.filter((column) => column !== 'notes.text');
    expect(judgeColumns(fewer)).toEqual([
      `notes.text is no column any more: take it out of ${place}`,
    ]);
  });
});
