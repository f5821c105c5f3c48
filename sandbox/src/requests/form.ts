// Parses `application/x-www-form-urlencoded` with nested brackets (`card[number]=…`, `expand[0]=…`), in the
// format of the provider's SDKs, for bodies and query strings.
import { ApiError } from './errors.ts';

export type RawValue = string | RawValues;
export type RawValues = { [name: string]: RawValue };

const maxDepth = 6;
const maxPairs = 1000;

const malformedError = (message: string) =>
  new ApiError(400, { type: 'invalid_request_error', message });

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw malformedError(`Invalid request: '${text.slice(0, 40)}' is not URL-encoded UTF-8.`);
  }
};

const split = (name: string): string[] => {
  const start = name.indexOf('[');
  if (start <= 0) return [name];
  const tail = name.slice(start);
  if (!/^(\[[^[\]]*\])+$/.test(tail)) throw malformedError(`Invalid parameter name: ${name}`);
  const parts = [name.slice(0, start), ...tail.slice(1, -1).split('][')];
  if (parts.length > maxDepth) throw malformedError(`Parameter nested too deeply: ${name}`);
  return parts;
};

const putValue = (target: RawValues, path: string[], value: string): void => {
  let place = target;
  for (const [depth, part] of path.entries()) {
    const key = part === '' ? String(Object.keys(place).length) : part;
    if (depth === path.length - 1) {
      place[key] = value;
      return;
    }
    const inner = place[key];
    if (typeof inner === 'object') {
      place = inner;
    } else {
      const made: RawValues = Object.create(null) as RawValues;
      place[key] = made;
      place = made;
    }
  }
};

/** Returns nested text values without a prototype. Lists are objects with the keys 0, 1, …. */
export const parseForm = (body: string): RawValues => {
  const values: RawValues = Object.create(null) as RawValues;
  if (body === '') return values;
  const pairs = body.split('&');
  if (pairs.length > maxPairs) throw malformedError('Too many parameters.');
  for (const pair of pairs) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    putValue(values, split(name), equals < 0 ? '' : decode(pair.slice(equals + 1)));
  }
  return values;
};
