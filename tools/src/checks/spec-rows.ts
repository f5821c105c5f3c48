// Every row of the specification's tables, every code of the contract and every move that the
// database allows is shown by a test whose title begins with it: `Spec 3.1.1: …`,
// `Contract §1 payment_not_found: …`, `Contract §2 authorized to voided: …`. docs/spec/shown.md lists
// them; `node tools/src/checks/spec-rows.ts --write` writes it.

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

type Shown = { readonly row: string; readonly title: string; readonly file: string };

/** Tables of the specification whose every row must be shown. */
const sections = ['3.1', '4.2', '6', '7.1'];
const folders = ['proof', 'service', 'contract', 'vault', 'sandbox', 'pages', 'libraries', 'tools'];
const page = 'docs/spec/shown.md';
const opening = /^(Spec \d+(?:\.\d+)*(?: rule \d+)?|Contract §\d+)(?=[ ,:])(.*)$/;
const calls = /\b(?:it|test)(?:\.each\([\s\S]*?\))?\(\s*(['"`])((?:\\.|(?!\1)[\s\S])*?)\1/g;

/** What is not shown by any test, a line each, and whether the page tells what is. */
export function checkSpecRows(root: string): string[] {
  const shown = findShown(root);
  const titles = shown.map(({ title }) => title);
  const missing = demanded(root).filter(({ names }) => !titles.some((title) => names(title)));
  const complaints = missing.map(({ row }) => `no test shows: ${row}`);
  const path = join(root, page);
  const isTold = existsSync(path) && readFileSync(path, 'utf8') === describeShown(root, shown);
  return isTold
    ? complaints
    : [...complaints, `${page} is not up to date: node tools/src/checks/spec-rows.ts --write`];
}

type Demand = { readonly row: string; readonly names: (title: string) => boolean };

function demanded(root: string): Demand[] {
  const read = (file: string) => readFileSync(join(root, file), 'utf8');
  const rows = [...read('docs/spec/specification.md').matchAll(/^\| ((\d+(?:\.\d+)*)\.\d+) \|/gm)]
    .filter(([, , section]) => sections.includes(section ?? ''))
    .map(([, row]) => `Spec ${row}`);
  const codes = readCodes(read('docs/spec/contract.md')).map((code) => `Contract §1 ${code}`);
  const moves = readMoves(read('service/schema.sql'));
  return [
    ...rows.map((row) => ({ row, names: (title: string) => title.startsWith(`${row}:`) })),
    ...[...codes, ...moves].map((row) => ({
      row,
      names: (title: string) => {
        const [section = '', ...words] = row.split(/(?<=§\d+) /);
        return title.startsWith(section) && hasWords(title, words.join(' '));
      },
    })),
  ];
}

const hasWords = (title: string, words: string): boolean =>
  new RegExp(`(^|[^\\w])${words}($|[^\\w])`).test(title.split(/:/)[0] ?? '');

/** The codes that the table of errors gives to payments; a room's own come with the room. */
function readCodes(contract: string): string[] {
  const table = contract.slice(contract.indexOf('| Where | Status | code |'));
  const own =
    /payment|idempotency|gateway|authorization|refund|merchant|query|body|route|method_not/;
  return [...table.slice(0, table.indexOf('\n\n')).matchAll(/^\|[^|]*\|[^|]*\|(.*)\|$/gm)]
    .flatMap(([, cell]) => [...(cell ?? '').matchAll(/`([a-z_]+)`/g)].map(([, code]) => code ?? ''))
    .filter((code) => own.test(code) && !/_method_not_supported$|^payment_method/.test(code));
}

/** `is_payment_move`, as the schema shows it. */
function readMoves(schema: string): string[] {
  const text = schema.slice(schema.indexOf('FUNCTION public.is_payment_move'));
  const [, purchase = '', refund = ''] = text
    .slice(0, text.indexOf('end\n'))
    .split(/when '(?:purchase|refund)'/);
  const pairs = (moves: string, prefix: string) =>
    [...moves.matchAll(/\('(\w+)', '(\w+)'\)/g)].map(
      ([, from, to]) => `Contract §2 ${prefix}${from} to ${to}`,
    );
  return [...pairs(purchase, ''), ...pairs(refund, 'refund ')];
}

function findShown(root: string): Shown[] {
  return folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.test.ts') && !file.includes('node_modules'))
        .map((file) => join(folder, file)),
    )
    .sort()
    .flatMap((file) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(calls)].flatMap(([, , title = '']) => {
        const [, row] = opening.exec(title) ?? [];
        return row ? [{ row, title: title.replaceAll("\\'", "'"), file }] : [];
      }),
    );
}

/** The page, as it must be. */
export function describeShown(root: string, shown: readonly Shown[] = findShown(root)): string {
  const words = new Map(
    [
      ...readFileSync(join(root, 'docs/spec/specification.md'), 'utf8').matchAll(
        /^\| (\d+(?:\.\d+)+) \|(.*)\|$/gm,
      ),
    ].map(([, row, cells]) => [`Spec ${row}`, (cells ?? '').replaceAll('|', '·').trim()]),
  );
  const sorted = [...shown].sort(
    (a, b) => a.row.localeCompare(b.row, 'en', { numeric: true }) || (a.title < b.title ? -1 : 1),
  );
  const table = (authority: string, line: (one: Shown, rest: string) => string) =>
    sorted
      .filter(({ row }) => row.startsWith(authority))
      .map((one) => {
        const rest = one.title.slice(one.row.length).replace(/^[:,]? /, '');
        return `| ${line(one, rest)} | [${one.file.split('/').at(-1)}](../../${one.file}) |`;
      })
      .join('\n');
  return `# What is shown, row by row

Each line is a test of \`npm test\`: the row of [specification.md](specification.md) or the section of
[contract.md](contract.md), what the test shows of it, and where. A check fails where a row of the
payment tables, a payment's code or a move that the database allows has no line here.

## Specification

| Row | Its words | What the test shows | Test |
|---|---|---|---|
${table('Spec', ({ row }, rest) => `${row.slice(5)} | ${words.get(row) ?? ''} | ${rest}`)}

## Contract

| Section | What the test shows | Test |
|---|---|---|
${table('Contract', ({ row }, rest) => `${row.slice(9)} | ${rest}`)}
`;
}

if (process.argv[1] === import.meta.filename) {
  const root = join(import.meta.dirname, '../../..');
  if (process.argv.includes('--write')) {
    writeFileSync(join(root, page), describeShown(root));
  }
  const complaints = checkSpecRows(root);
  for (const complaint of complaints) console.error(complaint);
  process.exitCode = complaints.length > 0 ? 1 : 0;
}
