// The opaque cursor: where the page before ended, and a digest of the question that it belongs to.
// The digest is no secret. It keeps a cursor from being carried over to another list, order,
// filter or merchant, where it would silently skip rows; the tenant's predicate guards the data.

import { createHash } from 'node:crypto';
import { type Column, invalidQuery, isOfKind, type Kind } from './list-filters.ts';

export type Position = { readonly value: string; readonly key: string };

const digestBytes = 6;
const instantPattern = /^(\d{4})-(\d{2})-(\d{2}) (\d{2}:\d{2}:\d{2})\.(\d{3})\d{3}$/;

/** The sort value as text that loses nothing: JavaScript's dates would cut microseconds. */
export const writeSortText = (kind: Kind, sql: string): string =>
  kind === 'instant'
    ? `to_char(${sql} at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US')`
    : `(${sql})::text`;

/** The parameter of such a text as a value of the column. */
export const readSortText = (kind: Kind, place: string): string => {
  if (kind === 'instant') return `${place}::timestamp at time zone 'UTC'`;
  return `${place}::${kind === 'decimal' ? 'numeric' : kind}`;
};

/** Where the rows are sorted by their key, it is written once: codes may be long. */
export function encodeCursor(question: string, { value, key }: Position): string {
  const body = Buffer.from(`${value === key ? '' : value}\n${key}`, 'utf8');
  return Buffer.concat([digest(question, body), body]).toString('base64url');
}

/** The position, or a refusal `invalid_query`: forged, damaged, or of another question. */
export function decodeCursor(
  question: string,
  cursor: string,
  columns: { readonly sort: Column; readonly key: Column },
): Position {
  const bytes = Buffer.from(cursor, 'base64url');
  const body = bytes.subarray(digestBytes);
  // Node's decoder skips what is no base64url, so many texts would stand for one cursor.
  const isCanonical = bytes.toString('base64url') === cursor;
  const isOurs = digest(question, body).equals(bytes.subarray(0, digestBytes));
  const [, text, key] = /^([^\n]*)\n(.*)$/s.exec(body.toString('utf8')) ?? [];
  if (!isCanonical || !isOurs || text === undefined || key === undefined) throw refusal();
  const value = text === '' ? key : text;
  if (!isSortText(columns.sort.kind, value) || !isOfKind(columns.key.kind, key)) throw refusal();
  return { value, key };
}

const refusal = () => invalidQuery('cursor', 'The cursor does not belong to this list.');

function isSortText(kind: Kind, value: string): boolean {
  if (kind !== 'instant') return isOfKind(kind, value);
  const parts = instantPattern.exec(value);
  return parts !== null && isOfKind('instant', value.replace(' ', 'T').replace(/\d{3}$/, 'Z'));
}

function digest(question: string, body: Buffer): Buffer {
  return createHash('sha256')
    .update(`${Buffer.byteLength(question)}:`)
    .update(question)
    .update(body)
    .digest()
    .subarray(0, digestBytes);
}
