// What a test must show, read from the documents themselves: rows of tables, values in lists, and rules by
// their first words. What the service does not offer yet is not demanded.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Rule, rules } from './spec-rules.ts';

/** Tables of the specification of which every row must be shown. */
const sections = ['3.1', '3.2', '4.2', '4.3', '4.4', '4.5', '6', '7.1', '7.2', '7.3', '8'];
/** Sections of which each numbered sentence must be shown: `Spec 5 rule 1`. */
const ruleSections = ['5', '6'];
/** Tables whose rows have no number: they are named by their first cell, `Spec 2.2 nonce`. */
const fieldSections = ['2.2', '2.3', '2.4', '2.5'];
/** Shown together with the limit of redemptions: `Contract §8 coupon maxRedemptions`. */
const shownElsewhere = ['coupon_exhausted'];

const spec = 'docs/spec/specification.md';
const contract = 'docs/spec/contract.md';
const additions = 'docs/spec/additions.md';

/**
 * Returns the rows, in the words with which a title begins, and complaints about unexpected text in the
 * documents.
 */
export function demandRows(root: string): { rows: string[]; complaints: string[] } {
  const read = (file: string) => readFileSync(join(root, file), 'utf8');
  const [specText, contractText, added] = [read(spec), read(contract), read(additions)];
  const found = findRules(rules, { spec: specText, contract: contractText + added });
  const errors = readErrors(root);
  return {
    rows: [
      ...numberedRows(specText),
      ...ruleWords(specText).map(([row]) => row),
      ...servedEndpoints(specText, readCalls(root)),
      ...fieldWords(specText).map(([row]) => row),
      ...new Set(
        [
          ...readTypes(contractText),
          ...readCodes(contractText),
          ...shownCodes(errors, specText),
        ].map((word) => `Contract §1 ${word}`),
      ),
      ...readMoves(root),
      ...readValues(contractText),
      ...readEventTypes(root),
      ...found.rows,
    ],
    complaints: [...found.complaints, ...findUnnamed(errors, specText + contractText, added)],
  };
}

const tableRows = (text: string): [row: string, section: string][] =>
  [...text.matchAll(/^\| ((\d+(?:\.\d+)*)\.\d+) \|.*\|$/gm)].map(([, row = '', section = '']) => [
    row,
    section,
  ]);

const numberedRows = (text: string): string[] =>
  tableRows(text)
    .filter(([, section]) => sections.includes(section))
    .map(([row]) => `Spec ${row}`);

/** Returns the numbered sentences of a section with their text, by row. */
export const ruleWords = (text: string): [row: string, words: string][] =>
  ruleSections.flatMap((section) => {
    const [, part = ''] = text.split(`\n## ${section}. `);
    return [...(part.split('\n## ')[0] ?? '').matchAll(/^(\d+)\. (.*)$/gm)].map(
      ([, number, words = '']): [string, string] => [`Spec ${section} rule ${number}`, words],
    );
  });

/** Returns the checkout endpoints for which the contract has a row. */
function servedEndpoints(text: string, calls: ReadonlySet<string>): string[] {
  return [...text.matchAll(/^\| (4\.1\.\d+) \| ([A-Z]+ [^ |]+) \|/gm)]
    .filter(([, , call = '']) => calls.has(call))
    .map(([, row]) => `Spec ${row}`);
}

function readCalls(root: string): Set<string> {
  const folder = join(root, 'contract/src');
  const files = existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: 'utf8' })
    : [];
  return new Set(
    files
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) => [
        ...readFileSync(join(folder, file), 'utf8').matchAll(/\bcall: '([^']+)'/g),
      ])
      .map(([, call = '']) => call),
  );
}

/**
 * Returns the fields of the section's table with their cells: `uuid / id` are two fields, `products[]` is
 * `products`.
 */
function readFields(text: string, section: string): [row: string, cells: string][] {
  const [, part = ''] = text.split(`\n### ${section} `);
  return [...(part.split('\n### ')[0] ?? '').matchAll(/^\| ([a-zA-Z.,/[\] ]+) \|(.*)\|$/gm)]
    .filter(([, names]) => names !== 'Field')
    .flatMap(([, names = '', cells = '']) =>
      names
        .split(/ \/ |, /)
        .map((name): [string, string] => [`Spec ${section} ${name.replace('[]', '')}`, cells]),
    );
}

/** Returns the specification's text about each field, by row. */
export const fieldWords = (text: string): [row: string, cells: string][] =>
  fieldSections.flatMap((section) => readFields(text, section));

/** Returns the types of the table of statuses. */
const readTypes = (text: string): string[] =>
  [...text.matchAll(/^\| `(\w+_error)` \| [\d, ]+ \|$/gm)].map(([, type = '']) => type);

/** Returns the codes of the table of errors. */
function readCodes(text: string): string[] {
  const table = text.slice(text.indexOf('| Where | Status | code |'));
  const toCome = /^payment_method_$/;
  return [...table.slice(0, table.indexOf('\n\n')).matchAll(/^\|[^|]*\|[^|]*\|(.*)\|$/gm)]
    .flatMap(([, cell]) => [...(cell ?? '').matchAll(/`([a-z_]+)`/g)].map(([, code]) => code ?? ''))
    .filter((code) => code !== 'code' && !toCome.test(code))
    .filter((code) => !['declineCode', 'advice'].includes(code));
}

type ErrorEntry = { readonly code: string; readonly status: string };

/** Returns every code that the service knows, except those without a name on the wire. */
function readErrors(root: string): ErrorEntry[] {
  const folder = join(root, 'contract/src/errors');
  const files = existsSync(folder) ? readdirSync(folder) : [];
  const entries = /^ {2}([a-z_]+): \{\s+status: (\d+)(?:.*\},$|[\s\S]*?^ {2}\},$)/gm;
  return files
    .filter((file) => /^errors(-\w+)?\.ts$/.test(file))
    .flatMap((file) => [...readFileSync(join(folder, file), 'utf8').matchAll(entries)])
    .filter(([entry]) => !entry.includes('isUnnamed'))
    .map(([, code = '', status = '']) => ({ code, status }));
}

/** Returns the codes that tables of the specification do not already demand as rows. */
const shownCodes = (errors: readonly ErrorEntry[], specText: string): string[] =>
  errors
    .map(({ code }) => code)
    .filter((code) => !shownElsewhere.includes(code) && !specText.includes(`| ${code} |`));

/** Returns codes that no document names, and those that the additions name with another status. */
const findUnnamed = (
  errors: readonly ErrorEntry[],
  given: string,
  additionsText: string,
): string[] =>
  errors
    .filter(
      ({ code, status }) =>
        !new RegExp(`\\b${code}\\b`).test(given) &&
        !new RegExp(`\\| ${status} +\\| \`${code}\` *\\|`).test(additionsText),
    )
    .map(({ code, status }) => `no document names: ${status} ${code}`);

/** Returns the transitions of `is_payment_move`, as the newest migration that defines it has them. */
function readMoves(root: string): string[] {
  const folder = join(root, 'service/migrations');
  const text = readdirSync(folder)
    .sort()
    .map((file) => readFileSync(join(folder, file), 'utf8'))
    .join('\n');
  const [definition = ''] = text.split('function is_payment_move(').at(-1)?.split('$$;') ?? [];
  const [, purchase = '', refund = ''] = definition.split(/when '(?:purchase|refund)'/);
  const pairs = (moves: string, prefix: string) =>
    [...moves.matchAll(/\('(\w+)', '(\w+)'\)/g)].map(
      ([, from, to]) => `Contract §2 ${prefix}${from} to ${to}`,
    );
  return [...pairs(purchase, ''), ...pairs(refund, 'refund ')];
}

/** Returns each event type that merchants can receive: `Contract §7 refund.failed`. */
function readEventTypes(root: string): string[] {
  const file = join(root, 'contract/src/rows/event-types.ts');
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return [...text.matchAll(/^ {2}'([a-z_.]+)',$/gm)].map(([, type = '']) => `Contract §7 ${type}`);
}

/**
 * The lists of values in the contract: section and kind, the pattern of the list, and that of a value in
 * it.
 */
const lists = [
  ['§3 status', /^`status`: (.*?)\./m, /`(\w+)`/g],
  ['§3 result', /`result`: `([A-Z_ ]+)`/, /([A-Z_]+)/g],
  ['§3 process', /^Answers: (.*)$/m, /type: "(\w+)"/g],
  ['§3 advice', /`advice` in `([a-z_ ]+)`/, /([a-z_]+)/g],
  ['§3 reason', /\/decline`.*?reason: ([^,]*),/, /"(\w+)"/g],
  ['§5 reason', /`reason` in `([a-z_ ]+)`/, /([a-z_]+)/g],
  ['§5 resolution', /`resolution` in `([a-z_ ]+)`/, /([a-z_]+)/g],
  ['§5 in use', /count as in use: `([a-z_ ]+)`/, /([a-z_]+)/g],
  ['§8 product', /^.*Product `\{ (.*?) \}`/m, /(\w+)\??(?= \(|:|,|$)/g],
  ['§8 coupon', /; coupon `\{ (.*?) \}`/, /(\w+)\??(?=,|$| \||\?| \+)/g],
] as const;

function readValues(text: string): string[] {
  return lists.flatMap(([kind, list, value]) => {
    // Neither text in brackets within the list nor the fields of a price are values.
    const words = (list.exec(text)?.[1] ?? '').replace(/ \([^)]*\)|: [^,}[]*(?=,|$)|: \[.*/g, '');
    const found = kind === '§3 process' ? (list.exec(text)?.[1] ?? '') : words;
    return [...found.matchAll(value)].map(([, one]) => `Contract ${kind} ${one}`);
  });
}

/** Complains about a rule whose words are not in the document any more: the list follows the document. */
function findRules(
  all: readonly Rule[],
  texts: { readonly spec: string; readonly contract: string },
): { rows: string[]; complaints: string[] } {
  return {
    rows: all.map(({ row }) => row),
    complaints: all
      .filter(({ row, words }) => {
        return !(row.startsWith('Spec') ? texts.spec : texts.contract).includes(words);
      })
      .map(({ row, words }) => `${row}: the document no longer says "${words}"`),
  };
}
