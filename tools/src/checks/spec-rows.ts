// Every row, field, code, value and rule that demanded-rows.ts finds in the documents must be shown by a
// test whose title begins with it: `Spec 3.1.1: …`, `Spec 2.2 nonce: …`, `Contract §2 authorized to voided:
// …`. A title may name several rows of a section, separated by commas or `and`, and several sections,
// separated by ` · `: `Spec 3.1.1 · Contract §2 authorized to succeeded · 200: …`. A code is also shown by a
// test of the service whose title has status and code there: `409 payment_disputed: …`.
// `node tools/src/checks/spec-rows.ts --write` lists all these tests in .cache/shown.md.

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { demandRows, fieldWords, ruleWords } from './demanded-rows.ts';

type RowTest = { readonly row: string; readonly title: string; readonly file: string };

const folders = ['proof', 'service', 'contract', 'vault', 'sandbox', 'pages', 'libraries', 'tools'];
const page = '.cache/shown.md';
const section = /^(Spec \d[\d.]*|Contract §\d+)(?: (.+))?$/;
const refusal = /^\d{3} ([a-z]+_[a-z_]+)/;
const calls =
  /\b(?:it|test)(?:\.each(?:<[^(]+>)?\([\s\S]*?\))?\(\s*(['"`])((?:\\.|(?!\1)[\s\S])*?)\1/g;

/** Returns the rows that no test shows, one text each. */
export function checkSpecRows(root: string): string[] {
  const demanded = demandRows(root);
  const shown = new Set(findShown(root, demanded.rows).map(({ row }) => row));
  return [
    ...demanded.complaints,
    ...demanded.rows.filter((row) => !shown.has(row)).map((row) => `no test shows: ${row}`),
    ...checkCitations(root),
  ];
}

const place = '(?:§?\\d+(?:\\.\\d+)?|[A-Z]\\d+)';
const between = '(?:-|[,;:]?\\s(?:(?://|\\*)\\s)?(?:and |to )?)';
const citation = new RegExp(
  `Reliability\\s(?:(?://|\\*)\\s)?(${place}(?:${between}${place})*)`,
  'g',
);

/** Returns the sections and promises that sources cite and reliability.md does not have. */
function checkCitations(root: string): string[] {
  const page = join(root, 'docs/spec/reliability.md');
  if (!existsSync(page)) return [];
  const known = placesOf(readFileSync(page, 'utf8'));
  return readSources(root).flatMap(({ file, text }) =>
    [...text.matchAll(citation)]
      .flatMap(([, places = '']) => [...places.matchAll(/\d+\.\d+|[A-Z]?\d+/g)])
      .filter(([cited]) => !known.has(cited))
      .map(([cited]) => `${file}: docs/spec/reliability.md has no ${cited}`),
  );
}

/** Returns the numbers of sections and the ids of faults and promises; `F4-F6` has F5 too. */
function placesOf(text: string): Set<string> {
  const ranges = [...text.matchAll(/\b([A-Z])(\d+)(?:-[A-Z](\d+))?\b/g)];
  return new Set([
    ...[...text.matchAll(/^(?:#+|- §) ?§?(\d+(?:\.\d+)?)/gm)].map(([, section = '']) => section),
    ...ranges.flatMap(([, letter, from, to = from]) =>
      Array.from(
        { length: Number(to) - Number(from) + 1 },
        (_, index) => `${letter}${Number(from) + index}`,
      ),
    ),
  ]);
}

const readSources = (root: string): { readonly file: string; readonly text: string }[] =>
  folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((file) => /\.tsx?$/.test(file) && !file.includes('node_modules'))
        .map((file) => join(folder, file)),
    )
    .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }));

function findShown(root: string, rows: readonly string[]): RowTest[] {
  const demanded = new Set(rows);
  return findTitles(root).flatMap((test) => {
    const isOfService = test.file.startsWith('service');
    return rowsNamedBy(test.title, demanded, isOfService).map((row) => ({ row, ...test }));
  });
}

/** Returns the rows with which a title begins. */
function rowsNamedBy(title: string, rows: ReadonlySet<string>, isOfService: boolean): string[] {
  const [head = ''] = title.split(':');
  return head.split(' · ').flatMap((part) => {
    const [, place, words] = section.exec(part) ?? [];
    if (!place) return isOfService ? codesOf(part) : [];
    return words ? words.split(/, | and /).map((word) => longest(place, word, rows)) : [place];
  });
}

const codesOf = (part: string): string[] =>
  part.split(/, | and /).flatMap((one) => {
    const [, code] = refusal.exec(one) ?? [];
    return code ? [`Contract §1 ${code}`] : [];
  });

/**
 * Returns the longest demanded row with which the part begins, `a of b` before `a`; the part itself where
 * none is demanded.
 */
function longest(place: string, part: string, rows: ReadonlySet<string>): string {
  for (let words = part; words; words = words.slice(0, Math.max(0, words.lastIndexOf(' ')))) {
    if (rows.has(`${place} ${words}`)) return `${place} ${words}`;
  }
  return `${place} ${part}`;
}

/** The test files that `npm test` leaves to the proof show no row. */
function readLeftOut(root: string): readonly string[] {
  const file = join(root, 'proof/gate/choice.json');
  if (!existsSync(file)) return [];
  return (JSON.parse(readFileSync(file, 'utf8')) as { proof: readonly string[] }).proof;
}

function findTitles(root: string): { readonly title: string; readonly file: string }[] {
  const leftOut = new Set(readLeftOut(root));
  return folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.test.ts') && !file.includes('node_modules'))
        .map((file) => join(folder, file))
        .filter((file) => !leftOut.has(file)),
    )
    .sort()
    .flatMap((file) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(calls)].map(([, , title = '']) => ({
        title: title.replaceAll("\\'", "'"),
        file,
      })),
    );
}

/** Returns a page with the tests of each row. */
export function describeShown(root: string): string {
  const text = readFileSync(join(root, 'docs/spec/specification.md'), 'utf8');
  const words = new Map([
    ...[...text.matchAll(/^\| (\d+(?:\.\d+)+) \|(.*)\|$/gm)].map(
      ([, row, cells]) => [`Spec ${row}`, cells ?? ''] as const,
    ),
    ...fieldWords(text),
    ...ruleWords(text),
  ]);
  const lines = findShown(root, demandRows(root).rows)
    .sort(
      (a, b) => a.row.localeCompare(b.row, 'en', { numeric: true }) || (a.title < b.title ? -1 : 1),
    )
    .map(({ row, title, file }) => {
      const said = (words.get(row) ?? '').replaceAll('|', '·').trim();
      return `| ${row} | ${said} | ${title} | [${file.split('/').at(-1)}](../${file}) |`;
    });
  return `# What is shown, row by row

Each line is a test of \`npm test\` that shows a row of [specification.md](../docs/spec/specification.md) or
[contract.md](../docs/spec/contract.md).

| Row | Its words | Test | File |
|---|---|---|---|
${lines.join('\n')}
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
