// Checks a call's parameters against those that the call accepts: unknown names, wrong types and missing
// values are refused by name, so that a typing mistake is never ignored.
import { type ApiError, invalidParameter } from './errors.ts';
import type { RawValue, RawValues } from './form.ts';

export type Rule =
  | 'text'
  | 'integer'
  | 'flag'
  | 'map'
  | 'list'
  | 'range'
  | readonly string[]
  | ListRule
  | Rules;
export type Rules = { readonly [name: string]: Rule };
/** A list of objects, each of which follows the rules. */
export type ListRule = readonly [Rules];

export type Value = string | number | boolean | readonly string[] | readonly Values[] | Values;
export type Values = { readonly [name: string]: Value };

const maxText = 5000;

const isWordList = (rule: Rule): rule is readonly string[] =>
  Array.isArray(rule) && typeof rule[0] === 'string';
const isListRule = (rule: Rule): rule is ListRule =>
  Array.isArray(rule) && typeof rule[0] === 'object';

const integer = (raw: string, param: string): number => {
  const value = Number(raw);
  if (!/^-?\d{1,15}$/.test(raw) || !Number.isSafeInteger(value)) {
    throw invalidParameter('parameter_invalid_integer', param, `Invalid integer: ${raw}`);
  }
  return value;
};

const writeParameters = (raw: RawValues, param: string): string[] =>
  Object.entries(raw).map(([key, value]) => {
    if (!/^\d+$/.test(key) || typeof value !== 'string') {
      throw invalidParameter(undefined, param, 'Invalid array');
    }
    return value;
  });

const checkText = (rule: Rule, raw: string, param: string): Value => {
  if (rule === 'integer' || rule === 'range') return integer(raw, param);
  if (rule === 'flag') {
    if (raw === 'true' || raw === 'false') return raw === 'true';
    throw invalidParameter(undefined, param, `Invalid boolean: ${raw}`);
  }
  if (isWordList(rule)) {
    if (rule.includes(raw)) return raw;
    const last = rule.at(-1);
    const list = rule.length > 1 ? `one of ${rule.slice(0, -1).join(', ')}, or ${last}` : last;
    throw invalidParameter(undefined, param, `Invalid ${param}: must be ${list}`);
  }
  if (rule === 'text') {
    if ([...raw].length <= maxText) return raw;
    throw invalidParameter(undefined, param, `Invalid string: longer than ${maxText} characters`);
  }
  if (rule === 'map' && raw === '') return {};
  // An empty text removes a nested object.
  if (typeof rule === 'object' && raw === '') return raw;
  throw invalidParameter(undefined, param, rule === 'list' ? 'Invalid array' : 'Invalid object');
};

const checkMap = (raw: RawValues, param: string): Values => {
  const entries = Object.entries(raw);
  if (entries.length > 50) {
    throw invalidParameter(undefined, param, 'Metadata can hold at most 50 keys.');
  }
  for (const [key, value] of entries) {
    const name = `${param}[${key}]`;
    if (typeof value !== 'string') throw invalidParameter(undefined, name, 'Invalid string');
    if ([...key].length > 40 || [...value].length > 500) {
      throw invalidParameter(undefined, name, 'Metadata keys hold 40 characters, values 500.');
    }
  }
  return { ...raw } as Values;
};

const checkNested = (rule: Rule, raw: RawValues, param: string): Value => {
  if (rule === 'list') return writeParameters(raw, param);
  if (rule === 'map') return checkMap(raw, param);
  if (rule === 'range') {
    return check({ gt: 'integer', gte: 'integer', lt: 'integer', lte: 'integer' }, raw, param);
  }
  if (isListRule(rule)) return checkEach(rule[0], raw, param);
  if (typeof rule === 'object' && !isWordList(rule)) return check(rule as Rules, raw, param);
  throw invalidParameter(undefined, param, 'Invalid string: an object was given');
};

const checkEach = (rules: Rules, raw: RawValues, param: string): Values[] =>
  Object.entries(raw).map(([key, value]) => {
    if (!/^\d+$/.test(key) || typeof value === 'string') {
      throw invalidParameter(undefined, param, 'Invalid array');
    }
    return check(rules, value, `${param}[${key}]`);
  });

const check = (rules: Rules, raw: RawValues, inside?: string): Values => {
  const values: Record<string, Value> = {};
  for (const [name, value] of Object.entries(raw)) {
    const param = inside ? `${inside}[${name}]` : name;
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (rule === undefined) {
      throw invalidParameter('parameter_unknown', param, `Received unknown parameter: ${param}`);
    }
    values[name] = checkOne(rule, value, param);
  }
  return values;
};

const checkOne = (rule: Rule, value: RawValue, param: string): Value =>
  typeof value === 'string' ? checkText(rule, value, param) : checkNested(rule, value, param);

/** Returns the typed values of `raw`, or throws the first error: `parameter_unknown`, or a wrong type. */
export const checkParameters = (rules: Rules, raw: RawValues): Values => check(rules, raw);

export const readText = (values: Values, name: string): string | undefined => {
  const value = values[name];
  return typeof value === 'string' ? value : undefined;
};

/** Like `text`, but an empty text, which removes a value, becomes null. */
export const textOrNull = (values: Values, name: string): string | null | undefined =>
  values[name] === '' ? null : readText(values, name);

export const number = (values: Values, name: string): number | undefined => {
  const value = values[name];
  return typeof value === 'number' ? value : undefined;
};

export const flag = (values: Values, name: string): boolean | undefined => {
  const value = values[name];
  return typeof value === 'boolean' ? value : undefined;
};

export const list = (values: Values, name: string): readonly string[] | undefined => {
  const value = values[name];
  return Array.isArray(value) ? (value as readonly string[]) : undefined;
};

/** Returns the objects of a list; an empty list when it is absent. */
export const listOf = (values: Values, name: string): readonly Values[] => {
  const value = values[name];
  return Array.isArray(value) ? (value as readonly Values[]) : [];
};

export const readNested = (values: Values, name: string): Values | undefined => {
  const value = values[name];
  return typeof value === 'object' && !Array.isArray(value) ? (value as Values) : undefined;
};

/** Throws 400 `parameters_exclusive` when more than one of the names is given. */
export const assertExclusive = (values: Values, names: readonly string[]): void => {
  const given = names.filter((name) => name in values);
  const [, second] = given;
  if (second === undefined) return;
  const message = `You may only specify one of these parameters: ${given.join(', ')}.`;
  throw invalidParameter('parameters_exclusive', second, message);
};

/** Throws 400 `parameter_missing` unless the text is present and not empty. */
export const requiredText = (values: Values, name: string): string => {
  const value = readText(values, name);
  if (value === '') {
    throw invalidParameter(
      'parameter_invalid_empty',
      name,
      `You passed an empty string for '${name}'.`,
    );
  }
  if (value === undefined) throw missingParameter(name);
  return value;
};

export const requiredNumber = (values: Values, name: string): number => {
  const value = number(values, name);
  if (value === undefined) throw missingParameter(name);
  return value;
};

const missingParameter = (name: string): ApiError =>
  invalidParameter('parameter_missing', name, `Missing required param: ${name}.`);

/** Merges metadata as the provider does: an empty value removes its key, an empty map removes all. */
export const mergeMetadata = (
  current: Record<string, string>,
  values: Values,
): Record<string, string> => {
  const given = readNested(values, 'metadata');
  if (!given) return current;
  if (Object.keys(given).length === 0) return {};
  const merged = { ...current };
  for (const [key, value] of Object.entries(given)) {
    if (value === '') delete merged[key];
    else merged[key] = String(value);
  }
  return merged;
};
