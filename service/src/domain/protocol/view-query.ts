// Checks the query of a saved view against the call that serves its list. Additions §2, Views.

import type { ViewedList } from '@svc/contract/dashboard/views';
import { rows } from '@svc/contract/index';
import { amountRange, rangeNames } from '@svc/contract/reports/day-ranges';
import { filterName, type RowShape } from '@svc/contract/rows/row';
import { countCharacters } from '@svc/contract/values/characters';
import { isDay } from '@svc/contract/values/instants';
import { readMoment } from '@svc/contract/values/zone-days';

/** The calls that the lists read. */
const calls: Readonly<Record<ViewedList, RowShape>> = {
  payments: rows.listPayments,
  holds: rows.listPayments,
  disputes: rows.listDisputes,
  customers: rows.listCustomers,
  cards: rows.listSavedCards,
  subscriptions: rows.listSubscriptions,
  sessions: rows.listMerchantSessions,
};

/** The part of JSON Schema that filters of the contract use. */
type Filtered = {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly maxLength?: number;
};

/** The filters of instants are the only ones whose pattern takes this instant. */
const anInstant = '2026-01-01T00:00:00Z';
const isTime = ({ pattern }: Filtered) =>
  pattern !== undefined && /\\d\{4\}/.test(pattern) && new RegExp(pattern, 'u').test(anInstant);

function isRange(text: string): boolean {
  if (Object.hasOwn(rangeNames, text)) return true;
  const days = text.split('..');
  const given = days.filter((day) => day !== '');
  return (
    days.length <= 2 &&
    given.length > 0 &&
    given.every((text) => readMoment(text) !== null) &&
    (days.length === 2 || isDay(text))
  );
}

function isOne(schema: Filtered, text: string): boolean {
  if (schema.enum) return schema.enum.includes(text);
  if (schema.type === 'boolean') return text === 'true' || text === 'false';
  if (text.trim() === '' || countCharacters(text) > (schema.maxLength ?? 500)) return false;
  return schema.pattern === undefined || new RegExp(schema.pattern, 'u').test(text.trim());
}

function isValidValue(schema: Filtered, text: string): boolean {
  if (isTime(schema)) return isRange(text);
  if (schema.type === 'number' || schema.type === 'integer') return amountRange.test(text);
  // Only closed lists of values may be several: a text may contain a comma itself.
  return schema.enum ? text.split(',').every((each) => isOne(schema, each)) : isOne(schema, text);
}

const columns = /^[A-Za-z][A-Za-z0-9.]{0,40}(?:,[A-Za-z][A-Za-z0-9.]{0,40}){0,39}$/;

function isSort(row: RowShape, text: string): boolean {
  const field = row.input.query?.properties.sortField as Filtered | undefined;
  return field?.enum?.includes(text.replace(/^-/, '')) === true;
}

/** Returns the names that the list does not take, or not with their values; empty for a valid query. */
export function findWrongNames(list: ViewedList, query: string): string[] {
  const row = calls[list];
  const seen = new Set<string>();
  const wrong = new Set<string>();
  for (const [name, text] of new URLSearchParams(query)) {
    const key = filterName(name);
    const filters = row.filters ?? {};
    const schema = Object.hasOwn(filters, key) ? (filters[key] as Filtered) : undefined;
    const isGood =
      (name === 'sort' && isSort(row, text)) ||
      (name === 'columns' && columns.test(text)) ||
      (schema !== undefined && isValidValue(schema, text));
    if (!isGood || seen.has(name)) wrong.add(name);
    seen.add(name);
  }
  return [...wrong];
}
