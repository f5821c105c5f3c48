// Query strings and field filters, parsed strictly: one value per name, no unknown names. Contract §2, Lists.

import { type Filter, filterName, type Operator, operatorsOf } from '@svc/contract/rows/row';
import { countCharacters } from '@svc/contract/values/characters';
import { Refusal } from '../../domain/protocol/refusal.ts';
import { type Check, coerce, formOf, readAs, type TSchema } from './validate.ts';

const maxParameters = 40;
const maxValueLength = 1000;
const maxInValues = 100;
/** The deepest row of a filtered list that pages reach. Contract §2. */
const maxOffset = 100_000;

/** Returns the name and value pairs of a query string. Throws invalid_query when a name repeats. */
export function parseQuery(text: string): Map<string, string> {
  const fields = new Map<string, string>();
  if (text === '') return fields;
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const at = pair.indexOf('=');
    const name = decode(at < 0 ? pair : pair.slice(0, at));
    const value = at < 0 ? '' : decode(pair.slice(at + 1));
    if (fields.has(name)) throw invalidQuery(name, 'is given more than once');
    // The length of the request line limits a list of values, and each value is checked below.
    const isList = name.endsWith('[in]');
    if (!isList && countCharacters(value) > maxValueLength) {
      throw invalidQuery(name, `has more than ${maxValueLength} characters`);
    }
    fields.set(name, value);
    if (fields.size > maxParameters) throw invalidQuery(name, 'is one parameter too many');
  }
  return fields;
}

function decode(text: string): string {
  let decoded: string;
  try {
    decoded = decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    const message = 'The query string is not valid percent-encoded text.';
    throw new Refusal('invalid_query', { message });
  }
  if (!decoded.includes('\0')) return decoded;
  throw new Refusal('invalid_query', { message: 'The query string has a NUL character.' });
}

const invalidQuery = (param: string, claim: string): Refusal =>
  new Refusal('invalid_query', {
    param,
    message: `The query parameter ${printable(param)} ${claim}.`,
  });

const printable = (name: string): string => name.replace(/[^\x21-\x7e]/g, '?').slice(0, 80);

const isOneOf = (ops: readonly Operator[], text: string): text is Operator =>
  (ops as readonly string[]).includes(text);

/**
 * Takes the filters `field[op]=value` out of the query. Every value must satisfy the field's
 * schema; `in` takes values separated by commas.
 */
export function takeFilters(
  query: Map<string, string>,
  fields: Readonly<Record<string, TSchema>>,
  compile: (schema: TSchema) => Check,
): Filter[] {
  const filters: Filter[] = [];
  for (const [name, text] of query) {
    if (!name.includes('[') && !name.includes(']')) continue;
    query.delete(name);
    const [, field = '', op = ''] = /^([^[\]]+)\[(\w+)\]$/.exec(name) ?? [];
    const named = filterName(field);
    if (!Object.hasOwn(fields, named)) throw invalidQuery(name, 'filters by an unknown field');
    const schema = fields[named] as TSchema;
    if (!isOneOf(operatorsOf(schema), op)) {
      throw invalidQuery(name, `takes the operators ${operatorsOf(schema).join(', ')}`);
    }
    const values = op === 'in' ? text.split(',') : [text];
    if (values.length > maxInValues) {
      throw invalidQuery(name, `has ${values.length} values; ${maxInValues} are the most`);
    }
    if (values.some((value) => countCharacters(value) > maxValueLength)) {
      throw invalidQuery(name, `has a value of more than ${maxValueLength} characters`);
    }
    const check = compile(schema);
    const read = values.flatMap((value) =>
      check(coerce(schema, value)) ? (readAs(schema, value) ?? []) : [],
    );
    if (read.length < values.length) {
      const claim = choiceOf(schema) ?? formOf(schema);
      throw invalidQuery(name, claim ?? 'has a value that the field cannot have');
    }
    filters.push({ field, op, values: read });
  }
  return filters;
}

/** Returns the allowed values of a field that has a fixed list. */
function choiceOf({ enum: words }: TSchema & { readonly enum?: readonly unknown[] }) {
  return words && `must be one of ${words.join(', ')}`;
}

/** Throws for pages of a filtered list that would read too deep. Contract §2. */
export function assertDepth(query: Readonly<Record<string, unknown>>, isFiltered: boolean): void {
  const { page, limit } = query;
  if (!isFiltered || typeof page !== 'number' || typeof limit !== 'number') return;
  if (page * limit > maxOffset) {
    throw invalidQuery('page', `times limit is over ${maxOffset} on a filtered list; use cursor`);
  }
}
