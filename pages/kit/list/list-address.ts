// The address of a list: filters by the API's names, sorting, columns and page. Other parameters of an
// address are kept and reported, never silently dropped.

import { amountRange } from '@svc/contract/reports/day-ranges';
import { rangeOf, rangeWords } from '../zone.ts';
import { cleanValue } from './filter-values.ts';
import type { FilterSpec, ListSpec } from './list-spec.ts';

/** What the address of a list may name. */
export type AddressSpec = Pick<ListSpec<never>, 'filters' | 'sort' | 'fixed'> & {
  readonly path: string;
  readonly columns: readonly { readonly id: string; readonly sort?: string }[];
};

export type AddressQuery = {
  /** The filters by name, as the address has them. */
  readonly filters: ReadonlyMap<string, string>;
  /** For example `-createdAt`. */
  readonly sort: string;
  readonly columns: readonly string[] | null;
  readonly page: number;
  readonly limit: number;
  /** Names that no list of these pages knows. */
  readonly unknown: readonly string[];
  /** Names whose values are invalid. */
  readonly wrong: readonly string[];
  /** The parameters of the address that are no filters, unchanged. */
  readonly kept: ReadonlyMap<string, string>;
};

export const limits = [25, 50, 100] as const;

const own = ['sort', 'columns', 'page', 'limit', 'view'];

const isSortOf = (spec: AddressSpec, text: string) =>
  spec.sort.replace('-', '') === text.replace(/^-/, '') ||
  spec.columns.some(({ sort }) => sort !== undefined && sort === text.replace(/^-/, ''));

const metadata = 'metadata.';

/**
 * Returns the filter of a name. `metadata.order` is the filter of the field `order`, when the list has
 * metadata.
 */
export function filterOf(
  { filters }: Pick<AddressSpec, 'filters'>,
  name: string,
): FilterSpec | undefined {
  const found = filters.find((each) => each.name === name);
  const hasMetadata = filters.some((each) => each.name === 'metadata');
  if (found || !hasMetadata || !/^metadata\.[^[\]]{1,40}$/.test(name)) return found;
  return { name, title: `Metadata ${name.slice(metadata.length)}`, kind: 'text' };
}

const positive = (text: string | undefined): number | null =>
  text !== undefined && /^[1-9]\d{0,5}$/.test(text) ? Number(text) : null;

/** Reads the query of an address. `spec` describes what the list's address may name. */
export function readAddress(search: string, spec: AddressSpec): AddressQuery {
  const filters = new Map<string, string>();
  const kept = new Map<string, string>();
  const unknown: string[] = [];
  const wrong: string[] = [];
  for (const [name, text] of new URLSearchParams(search)) {
    const filter = filterOf(spec, name);
    const value = filter ? cleanValue(filter, text) : null;
    if (value === null) kept.set(name, text);
    else filters.set(name, value);
    if (filter && !filters.has(name)) wrong.push(name);
    if (!filter && !own.includes(name)) unknown.push(name);
  }
  const sort = kept.get('sort') ?? spec.sort;
  if (!isSortOf(spec, sort)) wrong.push('sort');
  const limit = positive(kept.get('limit')) ?? 25;
  const named = kept.get('columns')?.split(',').filter(Boolean) ?? null;
  const columns = named?.filter((id) => spec.columns.some((column) => column.id === id)) ?? null;
  if (named && columns && columns.length < named.length) wrong.push('columns');
  return {
    filters,
    sort: isSortOf(spec, sort) ? sort : spec.sort,
    columns: columns && columns.length > 0 ? columns : null,
    page: positive(kept.get('page')) ?? 1,
    limit: limits.find((each) => each === limit) ?? 25,
    unknown,
    wrong,
    kept,
  };
}

/** Encodes a query value, but keeps characters that stay readable in an address bar. */
const encode = (text: string) => encodeURIComponent(text).replace(/%(2C|40|3A|20)/g, plainCode);
const plainCode = (code: string) => (code === '%20' ? '+' : decodeURIComponent(code));

/** Changes the address of the current list. */
export type Change = (changes: Readonly<Record<string, string | null>>) => void;

/**
 * Returns the address of the same list with other values; null removes a value. It begins at the first
 * page.
 */
export function addressWith(
  path: string,
  { filters, kept }: AddressQuery,
  changes: Readonly<Record<string, string | null>>,
): string {
  const values = new Map([...filters, ...kept]);
  values.delete('page');
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) values.delete(name);
    else values.set(name, value);
  }
  const text = [...values].map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&');
  return text ? `${path}?${text}` : path;
}

/** Returns what a view keeps of the address: filters, order and columns, as far as the list takes them. */
export function viewQuery({ filters, kept, wrong }: AddressQuery): string {
  const more = ['sort', 'columns'].flatMap((name) => {
    const text = kept.get(name);
    return text === undefined || wrong.includes(name) ? [] : [[name, text] as const];
  });
  const pairs = [...filters, ...more];
  return pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&');
}

const yearTenThousand = Date.UTC(10_000);

/** The filters of the API that one filter of the address means. */
function apiFilters(filter: FilterSpec, text: string, zone: string, now: number) {
  const { name } = filter;
  if (filter.kind === 'choice') {
    return text.includes(',') ? [[`${name}[in]`, text]] : [[`${name}[eq]`, text]];
  }
  if (filter.kind === 'amount') {
    const [, from, dots, until] = amountRange.exec(text) ?? [];
    if (!dots) return [[`${name}[eq]`, from]];
    return [
      [`${name}[gte]`, from],
      [`${name}[lte]`, until],
    ];
  }
  if (filter.kind === 'time') {
    const range = rangeOf(text, zone, now);
    // After the last day that the API can write nothing bounds the range.
    const instant = (ms: number | null | undefined) =>
      ms && ms < yearTenThousand ? new Date(ms).toISOString() : undefined;
    return [
      [`${name}[gte]`, instant(range?.from)],
      [`${name}[lt]`, instant(range?.until)],
    ];
  }
  const by = filter.kind === 'text' ? filter.by : undefined;
  return [[`${name}[${by ?? 'eq'}]`, text.trim()]];
}

/** The filters of the address as the API takes them. */
export function filtersOf(
  asked: AddressQuery,
  spec: AddressSpec,
  zone: string,
  now: number,
): URLSearchParams {
  const query = new URLSearchParams(spec.fixed ?? {});
  for (const [name, text] of asked.filters) {
    const filter = filterOf(spec, name);
    if (!filter) continue;
    for (const [key = '', value] of apiFilters(filter, text, zone, now)) {
      if (value !== undefined) query.set(key, value);
    }
  }
  return query;
}

/** Returns the call that reads what the address asks for, without the page. */
export function requestOf(
  asked: AddressQuery,
  spec: AddressSpec,
  zone: string,
  now: number,
): string {
  const query = new URLSearchParams({ limit: String(asked.limit) });
  const field = asked.sort.replace(/^-/, '');
  query.set('sortField', field);
  query.set('sortDirection', asked.sort.startsWith('-') ? 'DESC' : 'ASC');
  for (const [name, value] of filtersOf(asked, spec, zone, now)) query.set(name, value);
  return `${spec.path}?${query}`;
}

/** Returns for example `Status: Failed or Released`, the text of a chip. */
export function filterWords(filter: FilterSpec, text: string): string {
  if (filter.kind === 'choice') {
    const { choices } = filter;
    return text
      .split(',')
      .map((word) => choices[word] ?? word)
      .join(' or ');
  }
  if (filter.kind === 'time') return rangeWords(text);
  if (filter.kind === 'amount') {
    const [, from, dots, until] = amountRange.exec(text) ?? [];
    if (!dots) return from ?? text;
    if (!until) return `from ${from}`;
    return from ? `${from} to ${until}` : `up to ${until}`;
  }
  return text;
}
