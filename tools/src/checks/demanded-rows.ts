// What must be shown by a test, read from the documents themselves: rows of tables, values in lists,
// and rules by their first words. What the service does not serve yet is not demanded before it does.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Rule, rules } from './spec-rules.ts';

/** Tables of the specification whose every row must be shown. */
const sections = ['3.1', '3.2', '4.2', '4.3', '4.4', '6', '7.1', '7.2'];
/** Rows of the tables of other errors and of limits: libraries have theirs later. */
const mixed: Readonly<Record<string, RegExp>> = {
  '7.3': /claim|process|vault charge|card-setup|token/,
  '8': /capture|payments|list endpoints|token|Basic/,
};
/** Tables whose rows have no number: named by their first cell, `Spec 2.2 nonce`. */
const fieldSections = ['2.2', '2.3', '2.4', '2.5'];
/** Files of the contract whose rows' refusals must each be shown. */
const refusing = ['card-setups', 'customer-page', 'customers', 'payment-methods', 'subscriptions'];

const spec = 'docs/spec/specification.md';
const contract = 'docs/spec/contract.md';

/** Rows in the words that a title begins with, and what of the documents is not as expected. */
export function demandRows(root: string): { rows: string[]; complaints: string[] } {
  const read = (file: string) => readFileSync(join(root, file), 'utf8');
  const [specText, contractText] = [read(spec), read(contract)];
  const found = findRules(rules, { spec: specText, contract: contractText });
  return {
    rows: [
      ...numberedRows(specText),
      ...servedEndpoints(specText, readCalls(root)),
      ...fieldWords(specText).map(([row]) => row),
      ...new Set(
        [...readTypes(contractText), ...readCodes(contractText), ...readRefusals(root)].map(
          (word) => `Contract §1 ${word}`,
        ),
      ),
      ...readMoves(read('service/schema.sql')),
      ...readValues(contractText),
      ...found.rows,
    ],
    complaints: found.complaints,
  };
}

function numberedRows(text: string): string[] {
  return [...text.matchAll(/^\| ((\d+(?:\.\d+)*)\.\d+) \|(.*)\|$/gm)]
    .filter(
      ([, , section = '', cells = '']) =>
        sections.includes(section) || mixed[section]?.test(cells) === true,
    )
    .map(([, row]) => `Spec ${row}`);
}

/** Endpoints of a checkout that the contract has a row for. */
function servedEndpoints(text: string, calls: ReadonlySet<string>): string[] {
  return [...text.matchAll(/^\| (4\.1\.\d+) \| ([A-Z]+ [^ |]+) \|/gm)]
    .filter(([, , call = '']) => calls.has(call))
    .map(([, row]) => `Spec ${row}`);
}

function readCalls(root: string): Set<string> {
  const folder = join(root, 'contract/src');
  const files = existsSync(folder) ? readdirSync(folder) : [];
  return new Set(
    files
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) => [
        ...readFileSync(join(folder, file), 'utf8').matchAll(/\bcall: '([^']+)'/g),
      ])
      .map(([, call = '']) => call),
  );
}

/** Fields of the section's table with their cells: `uuid / id` are two, `products[]` is `products`. */
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

/** What the specification says of each field, by its row. */
export const fieldWords = (text: string): [row: string, cells: string][] =>
  fieldSections.flatMap((section) => readFields(text, section));

/** The types of the table of statuses. */
const readTypes = (text: string): string[] =>
  [...text.matchAll(/^\| `(\w+_error)` \| [\d, ]+ \|$/gm)].map(([, type = '']) => type);

/** The codes of the table of errors. */
function readCodes(text: string): string[] {
  const table = text.slice(text.indexOf('| Where | Status | code |'));
  const toCome = /^payment_method_$/;
  return [...table.slice(0, table.indexOf('\n\n')).matchAll(/^\|[^|]*\|[^|]*\|(.*)\|$/gm)]
    .flatMap(([, cell]) => [...(cell ?? '').matchAll(/`([a-z_]+)`/g)].map(([, code]) => code ?? ''))
    .filter((code) => code !== 'code' && !toCome.test(code))
    .filter((code) => !['declineCode', 'advice'].includes(code));
}

/** What the rows of these files refuse; the codes of a deletion are rows of the specification. */
function readRefusals(root: string): string[] {
  return refusing
    .map((name) => join(root, 'contract/src', `${name}.ts`))
    .filter((file) => existsSync(file))
    .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/\brefuses: \[([^\]]*)\]/g)])
    .flatMap(([, codes = '']) => [...codes.matchAll(/'([a-z_]+)'/g)].map(([, code]) => code ?? ''))
    .filter((code) => !code.startsWith('payment_method_'));
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

/** Where the contract lists values: section, kind, the list, and a value in it. */
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
    // Neither what stands in brackets within the list nor the fields of a price are values.
    const words = (list.exec(text)?.[1] ?? '').replace(/ \([^)]*\)|: [^,}[]*(?=,|$)|: \[.*/g, '');
    const found = kind === '§3 process' ? (list.exec(text)?.[1] ?? '') : words;
    return [...found.matchAll(value)].map(([, one]) => `Contract ${kind} ${one}`);
  });
}

/** A rule whose words have left the document is a complaint: the list follows the document. */
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
