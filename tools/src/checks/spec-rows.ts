// Every row, field, code, value and rule that demanded-rows.ts finds in the documents must be shown by a
// test whose title begins with it: `Spec 3.1.1: …`, `Spec 2.2 nonce: …`, `Contract §1 payment_not_found:
// …`, `Contract §2 authorized to voided: …`. A title may name several, separated by commas or `and`. A code
// can also be shown by tests next to the implementation, whose titles begin with status and code: `409
// payment_disputed: …`. `node tools/src/checks/spec-rows.ts --write` lists all these tests in .cache/shown.md,
// those next to the implementation when no other title names the code.

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { demandRows, fieldWords, ruleWords } from './demanded-rows.ts';

type RowTest = { readonly row: string; readonly title: string; readonly file: string };

const folders = ['proof', 'service', 'contract', 'vault', 'sandbox', 'pages', 'libraries', 'tools'];
const page = '.cache/shown.md';
const opening = /^(Spec \d+(?:\.\d+)*(?: rule \d+)?|Contract §\d+)(?=[ ,:])(.*)$/;
const refusals = /^(?:(?:, | and | · )?\d{3} [a-z][a-z_]+)+/;
const calls = /\b(?:it|test)(?:\.each\([\s\S]*?\))?\(\s*(['"`])((?:\\.|(?!\1)[\s\S])*?)\1/g;

/** Returns the rows that no test shows, one text each. */
export function checkSpecRows(root: string): string[] {
  const shown = findShown(root);
  const demanded = demandRows(root);
  const named = findNamed(shown, demanded.rows);
  return [
    ...demanded.complaints,
    ...demanded.rows.filter((row) => !named.has(row)).map((row) => `no test shows: ${row}`),
  ];
}

/** Returns the rows with which titles begin, alone or as one of several. */
function findNamed(shown: readonly RowTest[], rows: readonly string[]): ReadonlySet<string> {
  const demanded = new Set(rows);
  return new Set(shown.flatMap(({ title }) => rowsNamedBy(title, demanded)));
}

function rowsNamedBy(title: string, rows: ReadonlySet<string>): readonly string[] {
  const [, section = '', rest = ''] = /^(Spec [\d.]+|Contract §\d+)(.*)$/s.exec(title) ?? [];
  if (rest.startsWith(':')) return [section];
  if (!rest.startsWith(' ')) return [];
  const parts = (rest.slice(1).split(':')[0] ?? '').split(/, | and /);
  return parts.flatMap((part) => longest(section, part, rows) ?? []);
}

/** Returns the longest demanded row with which the part begins: `a of b` wins over `a`. */
function longest(section: string, part: string, rows: ReadonlySet<string>): string | undefined {
  for (
    let words = part;
    words !== '';
    words = words.slice(0, Math.max(0, words.lastIndexOf(' ')))
  ) {
    if (rows.has(`${section} ${words}`)) return `${section} ${words}`;
  }
  return undefined;
}

function findShown(root: string): RowTest[] {
  const titles = findTitles(root);
  const named = titles.flatMap(({ title, file }) => {
    const [, row] = opening.exec(title) ?? [];
    return row ? [{ row, title, file }] : [];
  });
  const known = new Set(named.flatMap(({ title }) => codesBefore(title)));
  // One line per file for each code, because a code has a test for each way to its refusal.
  const beside = new Map<string, RowTest>();
  for (const { title, file } of titles.filter((one) => one.file.startsWith('service'))) {
    for (const code of codesOf(title).filter((one) => !known.has(one))) {
      const row = 'Contract §1';
      if (!beside.has(`${code} ${file}`))
        beside.set(`${code} ${file}`, { row, title: `${row} ${code}: ${title}`, file });
    }
  }
  return [...named, ...beside.values()];
}

function findTitles(root: string): { readonly title: string; readonly file: string }[] {
  return folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.test.ts') && !file.includes('node_modules'))
        .map((file) => join(folder, file)),
    )
    .sort()
    .flatMap((file) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(calls)].map(([, , title = '']) => ({
        title: title.replaceAll("\\'", "'"),
        file,
      })),
    );
}

/** Returns the words before the colon of a title that names rows of codes. */
const codesBefore = (title: string): readonly string[] =>
  title.startsWith('Contract §1 ') ? (title.slice(12).split(':')[0] ?? '').split(/, | and /) : [];

/** Returns the codes with which the title of a test next to the implementation begins. */
const codesOf = (title: string): readonly string[] => [
  ...new Set((refusals.exec(title)?.[0] ?? '').match(/[a-z][a-z_]+_[a-z_]+/g) ?? []),
];

/** Returns a page with the tests of each row. */
export function describeShown(root: string, shown: readonly RowTest[] = findShown(root)): string {
  const text = readFileSync(join(root, 'docs/spec/specification.md'), 'utf8');
  const words = new Map([
    ...[...text.matchAll(/^\| (\d+(?:\.\d+)+) \|(.*)\|$/gm)].map(
      ([, row, cells]) => [`Spec ${row}`, cells ?? ''] as const,
    ),
    ...fieldWords(text),
    ...ruleWords(text),
  ]);
  const wordsOfRow = (row: string, rest: string) => {
    const field = `${row} ${rest.split(/[:, ]/)[0]}`;
    return (words.get(row) ?? words.get(field) ?? '').replaceAll('|', '·').trim();
  };
  const sorted = [...shown].sort(
    (a, b) => a.row.localeCompare(b.row, 'en', { numeric: true }) || (a.title < b.title ? -1 : 1),
  );
  const table = (authority: string, line: (one: RowTest, rest: string) => string) =>
    sorted
      .filter(({ row }) => row.startsWith(authority))
      .map((one) => {
        const rest = one.title.slice(one.row.length).replace(/^[:,]? /, '');
        return `| ${line(one, rest)} | [${one.file.split('/').at(-1)}](../${one.file}) |`;
      })
      .join('\n');
  return `# What is shown, row by row

Each line is a test of \`npm test\`: the row of [specification.md](../docs/spec/specification.md) or the section of
[contract.md](../docs/spec/contract.md), what the test shows of it, and where. A check fails where a row of the
payment, checkout, saved-card, token, library, error or limit tables, a rule of authentication, a field of a
session, a saved card or a token, an error's code, a value, a rule or limit of the contract, or a move
that the database allows has no line here.

## Specification

| Row | Its words | What the test shows | Test |
|---|---|---|---|
${table('Spec', ({ row }, rest) => `${row.slice(5)} | ${wordsOfRow(row, rest)} | ${rest}`)}

## Contract

| Section | What the test shows | Test |
|---|---|---|
${table('Contract', ({ row }, rest) => `${row.slice(9)} | ${rest}`)}
`;
}

if (process.argv[1] === import.meta.filename) {
  const root = join(import.meta.dirname, '../../..');
  if (process.argv.includes('--write')) {
    mkdirSync(dirname(join(root, page)), { recursive: true });
    writeFileSync(join(root, page), describeShown(root));
    process.stdout.write(`${page}\n`);
  }
  const complaints = checkSpecRows(root);
  for (const complaint of complaints) console.error(complaint);
  process.exitCode = complaints.length > 0 ? 1 : 0;
}
