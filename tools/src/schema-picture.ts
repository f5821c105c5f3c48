// Writes the current schema as SQL, read from PostgreSQL's own catalogues, because the embedded packages
// contain no pg_dump. Deterministic and ordered by name, so that it can be committed and compared; and
// complete, so that it can be loaded.
import pg from 'pg';
import { columnQuery, queries } from './schema-queries.ts';

type Grants = { grantee: string; privileges: string[]; columns: string | null }[];
type Table = {
  name: string;
  kind: 'r' | 'p' | 'v' | 'm';
  parent: string | null;
  bound: string | null;
  partition: string | null;
  options: string[] | null;
  secured: boolean;
  forced: boolean;
  definition: string | null;
};
type Column = {
  table: string;
  name: string;
  type: string;
  collation: string | null;
  required: boolean;
  value: string | null;
  identity: '' | 'a' | 'd';
  generated: '' | 's' | 'v';
};
type Part = { table: string; name: string; definition: string; foreign: boolean };
type GrantRow = { object: string; grants: Grants | null; isOpen: boolean | null };

/** Returns the given schemas as text. `databaseUrl` needs only the right to read the catalogues. */
export async function schemaPicture(
  databaseUrl: string,
  schemas: readonly string[],
): Promise<string> {
  const client = new pg.Client({ connectionString: databaseUrl });
  client.on('error', () => {});
  await client.connect();
  try {
    // With an empty search path, every name in a definition includes its schema.
    await client.query("set search_path = ''; set timezone = 'UTC'");
    const queryCatalogue = async <Row extends pg.QueryResultRow>(text: string) =>
      (await client.query<Row>(text, [schemas])).rows;
    const parts = [
      ['-- Written by tools/src/schema-picture.ts from the catalogues; do not edit.'],
      ['set check_function_bodies = off;'],
      texts(await queryCatalogue(queries.schemas)),
      texts(await queryCatalogue(queries.extensions)),
      texts(await queryCatalogue(queries.types)),
      texts(await queryCatalogue(queries.sequences)),
      texts(await queryCatalogue(queries.functions)),
      tables(
        await queryCatalogue<Table>(queries.tables),
        await queryCatalogue<Column>(columnQuery),
        await queryCatalogue<Part>(queries.constraints),
      ),
      (await queryCatalogue<Part>(queries.constraints))
        .filter((one) => one.foreign)
        .map(foreignKey),
      texts(await queryCatalogue(queries.indexes)),
      texts(await queryCatalogue(queries.triggers)),
      texts(await queryCatalogue(queries.policies)),
      (await queryCatalogue<GrantRow>(queries.grants)).flatMap(describeGrants),
      texts(await queryCatalogue(queries.comments)),
    ];
    return `${parts
      .filter((lines) => lines.length > 0)
      .map((lines) => lines.join('\n'))
      .join('\n\n')}\n`;
  } finally {
    await client.end();
  }
}

function texts(rows: pg.QueryResultRow[]): string[] {
  return rows.map((row) => String(row.text).trimEnd());
}

function tables(all: Table[], columns: Column[], constraints: Part[]): string[] {
  // A partitioned table comes before its partitions.
  const ordered = [...all].sort((a, b) => Number(a.bound !== null) - Number(b.bound !== null));
  const [views, plain] = [ordered.filter(isView), ordered.filter((table) => !isView(table))];
  return [
    ...plain.map((table) => tableText(table, columns, constraints)),
    ...views.map(viewText),
  ].map((text, at) => (at === 0 ? text : `\n${text}`));
}

function isView({ kind }: Table): boolean {
  return kind === 'v' || kind === 'm';
}

function viewText({ name, kind, definition, options }: Table): string {
  const what = kind === 'm' ? 'materialized view' : 'view';
  return `create ${what} ${name}${optionText(options)} as\n${definition}`;
}

function tableText(table: Table, columns: Column[], constraints: Part[]): string {
  const isOfTable = (part: { table: string }) => part.table === table.name;
  const lines = [
    ...columns.filter(isOfTable).map(columnText),
    ...constraints
      .filter((part) => isOfTable(part) && !part.foreign)
      .map(({ name, definition }) => `constraint ${name} ${definition}`),
  ];
  const body = table.bound
    ? `create table ${table.name} partition of ${table.parent} ${table.bound}`
    : `create table ${table.name} (\n${lines.map((line) => `  ${line}`).join(',\n')}\n)`;
  const by = table.partition ? ` partition by ${table.partition}` : '';
  const security = [
    table.secured ? `\nalter table ${table.name} enable row level security;` : '',
    table.forced ? `\nalter table ${table.name} force row level security;` : '',
  ];
  return `${body}${by}${optionText(table.options)};${security.join('')}`;
}

function optionText(options: string[] | null): string {
  return options?.length ? ` with (${[...options].sort().join(', ')})` : '';
}

function columnText(column: Column): string {
  const { name, type, collation, required, value, identity, generated } = column;
  const kind = {
    '': '',
    a: ' generated always as identity',
    d: ' generated by default as identity',
  };
  const computed = generated === 's' ? 'stored' : 'virtual';
  return [
    `${name} ${type}`,
    collation ? ` collate ${collation}` : '',
    kind[identity],
    value && generated ? ` generated always as (${value}) ${computed}` : '',
    value && !generated ? ` default ${value}` : '',
    required ? ' not null' : '',
  ].join('');
}

function foreignKey({ table, name, definition }: Part): string {
  return `alter table ${table} add constraint ${name} ${definition};`;
}

function describeGrants({ object, grants: given, isOpen }: GrantRow): string[] {
  // A function without explicit rights can be called by everybody.
  const closed = isOpen === false ? [`revoke all on ${object} from public;`] : [];
  const lines = (given ?? []).map(({ grantee, privileges, columns }) => {
    const rights = privileges.map((one) => one.toLowerCase() + (columns ? ` (${columns})` : ''));
    return `grant ${rights.join(', ')} on ${object} to ${grantee};`;
  });
  return [...closed, ...lines];
}
