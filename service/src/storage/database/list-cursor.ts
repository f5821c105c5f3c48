// The opaque cursor: where the page before ended, and a digest of the query it belongs to. The
// digest is no secret. It prevents a cursor from being used with another list, order, filter or
// merchant, where it would silently skip rows; the tenant's predicate guards the data.

import { createHash } from 'node:crypto';
import { parseBase64url } from '../../domain/protocol/base64url.ts';
import { type Column, invalidQuery, isValidOfKind, type Kind } from './list-filters.ts';

export type Position = { readonly value: string; readonly key: string };

const digestBytes = 6;
const instantPattern = /^(\d{4})-(\d{2})-(\d{2}) (\d{2}:\d{2}:\d{2})\.(\d{3})\d{3}$/;

/** Writes the sort value as text without loss: JavaScript's dates would cut microseconds. */
export const writeSortText = (kind: Kind, sql: string): string =>
  kind === 'instant'
    ? `to_char(${sql} at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US')`
    : `(${sql})::text`;

/** Reads the parameter with such a text as a value of the column. */
export const readSortText = (kind: Kind, place: string): string => {
  if (kind === 'instant') return `${place}::timestamp at time zone 'UTC'`;
  return `${place}::${kind === 'decimal' ? 'numeric' : kind}`;
};

/**
 * Encodes the position. When the rows are sorted by their key, the value is written once, because
 * codes may be long.
 */
export function encodeCursor(question: string, { value, key }: Position): string {
  const body = Buffer.from(`${value === key ? '' : value}\n${key}`, 'utf8');
  return Buffer.concat([digest(question, body), body]).toString('base64url');
}

/** Returns the position; throws `invalid_query` when the cursor is forged, damaged, or of another query. */
export function decodeCursor(
  question: string,
  cursor: string,
  columns: { readonly sort: Column; readonly key: Column },
): Position {
  const bytes = parseBase64url(cursor);
  if (!bytes) throw refusal();
  const body = bytes.subarray(digestBytes);
  const isOurs = digest(question, body).equals(bytes.subarray(0, digestBytes));
  const [, text, key] = /^([^\n]*)\n(.*)$/s.exec(body.toString('utf8')) ?? [];
  if (!isOurs || text === undefined || key === undefined) throw refusal();
  const value = text === '' ? key : text;
  if (!isSortText(columns.sort.kind, value) || !isValidOfKind(columns.key.kind, key))
    throw refusal();
  return { value, key };
}

const refusal = () => invalidQuery('cursor', 'The cursor does not belong to this list.');

function isSortText(kind: Kind, value: string): boolean {
  if (kind !== 'instant') return isValidOfKind(kind, value);
  const parts = instantPattern.exec(value);
  return parts !== null && isValidOfKind('instant', value.replace(' ', 'T').replace(/\d{3}$/, 'Z'));
}

function digest(question: string, body: Buffer): Buffer {
  return createHash('sha256')
    .update(`${Buffer.byteLength(question)}:`)
    .update(question)
    .update(body)
    .digest()
    .subarray(0, digestBytes);
}
