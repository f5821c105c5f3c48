// Reads a line of an import as a product: columns by name, every problem with its reason. Contract §8.

import {
  type Interval,
  intervals,
  type ProductKind,
  productCodePattern,
  productKinds,
  productNamePattern,
} from '@svc/contract/catalog/catalog';
import { oneLine } from '@svc/contract/servers/plain-text';
import { cutText } from '@svc/contract/values/characters';
import { readSum } from '@svc/contract/values/typed-sums';
import { containsCardNumber } from '@svc/contract/vault/card-number';
import { nearestName } from '../protocol/edit-distance.ts';
import { type CatalogProblem, type Price, readAmount, refuseInterval } from './product.ts';

/** A product as one line of an imported file states it. A field that the line leaves out stays as it is. */
export type ProductLine = {
  readonly code: string;
  readonly name: string;
  readonly kind: ProductKind;
  readonly interval: Interval | null;
  readonly isActive: boolean | null;
  /** Prices in other currencies stay as they are. */
  readonly prices: readonly Price[];
};

const plainColumns = ['code', 'name', 'kind', 'interval', 'active'] as const;
type PlainColumn = (typeof plainColumns)[number];

export type ProductColumns = {
  readonly count: number;
  readonly at: ReadonlyMap<PlainColumn, number>;
  readonly prices: readonly { readonly currency: string; readonly index: number }[];
};

/** Reads the columns that the first line names, or returns why it cannot be read. */
export function readProductColumns(
  cells: readonly string[],
): ProductColumns | { readonly problem: string } {
  const at = new Map<PlainColumn, number>();
  const prices: { currency: string; index: number }[] = [];
  for (const [index, cell] of cells.entries()) {
    const name = cell.trim().toLowerCase();
    const currency = /^price[ _:-]?([a-z]{3})$/.exec(name)?.[1]?.toUpperCase();
    const plain = plainColumns.find((column) => column === name);
    const isRepeated =
      (plain !== undefined && at.has(plain)) || prices.some((price) => price.currency === currency);
    if (isRepeated) return { problem: `the column ${printableCell(cell.trim())} is there twice` };
    if (plain) at.set(plain, index);
    else if (currency) prices.push({ currency, index });
    else return { problem: unknownColumn(cell.trim()) };
  }
  const missing = (['code', 'name'] as const).find((column) => !at.has(column));
  if (missing) return { problem: `the first line names no column ${missing}` };
  return { count: cells.length, at, prices };
}

// The text is shown on a terminal.
const printableCell = (cell: string): string => cutText(oneLine(cell), 40);

function unknownColumn(cell: string): string {
  const name = printableCell(cell);
  const nearest = nearestName(name, [...plainColumns, 'price_EUR']);
  const hint = nearest ? `; did you mean ${nearest}?` : '';
  return `the first line names an unknown column ${name || '(empty)'}${hint}`;
}

export type LineRead =
  | { readonly product: ProductLine }
  | {
      readonly problems: readonly CatalogProblem[];
      /** The product's code, where it could be read. */
      readonly code?: string;
    };

const codePattern = new RegExp(productCodePattern, 'u');
const namePattern = new RegExp(productNamePattern, 'u');
const truths: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['yes', true],
  ['1', true],
  ['false', false],
  ['no', false],
  ['0', false],
]);

/** Reads the product of a line, or returns every problem with it; `path` is the column. */
export function readProductLine(columns: ProductColumns, cells: readonly string[]): LineRead {
  const problems: CatalogProblem[] = [];
  const add = (path: string, code: string, message: string) =>
    void problems.push({ path, code, message });
  if (cells.length !== columns.count) {
    const message = `The line has ${cells.length} cells; the first one has ${columns.count}.`;
    return { problems: [{ path: '', code: 'cells_differ', message }] };
  }
  if (cells.some((cell) => cell.includes('\ufffd'))) {
    const message = 'The line is not UTF-8; save the file as UTF-8.';
    return { problems: [{ path: '', code: 'encoding_invalid', message }] };
  }
  const cellText = (column: PlainColumn): string =>
    cells[columns.at.get(column) ?? -1]?.trim() ?? '';
  const [code, name] = [cellText('code'), cellText('name')];
  if (!codePattern.test(code))
    add('code', 'code_invalid', 'A code has 1 to 100 ASCII characters, and is not . or .. alone.');
  if (!namePattern.test(name))
    add(
      'name',
      'name_invalid',
      'A name has 1 to 250 characters, without control characters and direction overrides.',
    );
  if (containsCardNumber(code) || containsCardNumber(name)) {
    add('code', 'raw_card_data_forbidden', 'Card numbers do not belong into a catalog.');
  }
  const interval = choiceOrNull(intervals, cellText('interval'));
  if (interval === undefined) {
    add('interval', 'interval_invalid', `An interval is one of ${intervals.join(', ')}.`);
  }
  const implied = interval ? 'subscription' : 'item';
  const kind = cellText('kind') === '' ? implied : choiceOrNull(productKinds, cellText('kind'));
  if (!kind) add('kind', 'kind_invalid', `A kind is one of ${productKinds.join(', ')}.`);
  const unfit = kind && interval !== undefined ? refuseInterval(kind, interval) : null;
  if (unfit) problems.push(unfit);
  const active = cellText('active').toLowerCase();
  const isActive = active === '' ? null : truths.get(active);
  if (isActive === undefined) add('active', 'active_invalid', 'Active is true or false.');
  const prices = readPriceCells(columns, { cells, add });
  if (problems.length > 0 || !kind || interval === undefined || isActive === undefined) {
    const isName = codePattern.test(code) && !containsCardNumber(code);
    return isName ? { problems, code } : { problems };
  }
  return { product: { code, name, kind, interval, isActive, prices } };
}

/** Null for an empty cell, undefined for an unknown value. */
const choiceOrNull = <T extends string>(
  values: readonly T[],
  text: string,
): T | null | undefined =>
  text === '' ? null : values.find((value) => value === text.toLowerCase());

type AddProblem = (path: string, code: string, message: string) => void;

function readPriceCells(
  columns: ProductColumns,
  { cells, add }: { readonly cells: readonly string[]; readonly add: AddProblem },
): Price[] {
  return columns.prices.flatMap(({ currency, index }) => {
    const text = cells[index]?.trim() ?? '';
    if (text === '') return [];
    const minor = readAmountText(text, currency);
    if (typeof minor === 'number') return [{ currency, amountMinor: minor }];
    add(`price_${currency}`, minor.code, minor.message);
    return [];
  });
}

/**
 * Reads an amount as people write it. A point before three digits of a currency with three decimals is
 * theirs, as programs write it; a comma there may stand between thousands.
 */
function readAmountText(
  text: string,
  currency: string,
): number | { readonly code: string; readonly message: string } {
  const read = readSum(text, currency);
  switch (read.kind) {
    case 'none':
      return { code: 'amount_invalid', message: 'This is not an amount. Write it as 19.90.' };
    case 'too_many_decimals':
      return { code: 'amount_precision', message: read.message };
    case 'sum':
      return readAmount({ currency, amount: Number(read.sum) });
    case 'two': {
      const [decimals, thousands] = read.sums;
      if (text === decimals) return readAmount({ currency, amount: Number(decimals) });
      const message = `${text} has two meanings in ${currency}: write ${thousands} or ${decimals}.`;
      return { code: 'amount_ambiguous', message };
    }
  }
}
