// Building blocks of the rows' schemas: the subset of JSON Schema that OpenAPI 3.1, the compiled validators
// and the published types all support. `x-code` names the error code of a violation, `x-name` a component
// of the OpenAPI document, `x-plain` the pattern that this document shows.

import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox';
import { countCharacters } from '../values/characters.ts';
import { operators } from './row.ts';

const uuidPattern = '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$';

/** A UUID in text form, any version, either case. */
export const uuid = (options: object = {}) => Type.String({ pattern: uuidPattern, ...options });

/** ISO 8601 UTC with milliseconds and `Z`. Contract, wire rules. */
export const instant = (description?: string) =>
  Type.String({
    pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$',
    ...(description ? { description } : {}),
  });

/**
 * An instant as callers write it: ISO 8601 with time of day and `Z` or an offset; seconds and up to 9
 * decimals are optional. Read to the millisecond. Contract, wire rules.
 */
export const givenInstant = (description = 'With Z or an offset.') =>
  Type.String({
    pattern:
      '^\\d{4}-\\d{2}-\\d{2}[Tt]\\d{2}:\\d{2}(?::\\d{2}(?:[.,]\\d{1,9})?)?(?:[Zz]|[+\\-]\\d{2}(?::?\\d{2})?)$',
    maxLength: 40,
    description,
  });

/**
 * An email address as a list filter, in any letter case. A blank in it was a `+` that the caller did not
 * encode in the query. Contract §2.
 */
export const givenEmail = (options: object = {}) =>
  Type.String({
    pattern: '^[^ ]*$',
    description: 'Compared without regard to letter case.',
    ...options,
  });

/** The same, with a filter for the beginning of the address. */
export const emailFilter = () => givenEmail({ 'x-ops': [...operators, 'startsWith'] });

/** A text filter in any letter case, for the whole text or its beginning. */
export const textFilter = (description: string) =>
  Type.String({ description, 'x-ops': ['eq', 'in', 'startsWith'] });

/** A filter for whole values, without order comparisons. */
export const exactFilter = <T extends TSchema>(schema: T): T => ({
  ...schema,
  'x-ops': ['eq', 'in'],
});

/** ISO 4217 alphabetic code, upper case. */
export const currency = (options: object = {}) =>
  Type.String({ pattern: '^[A-Z]{3}$', ...options });

/** Major units with the exact decimal digits of the currency. Contract §12. */
export const amount = (description: string) => Type.Number({ description });

export const text = (maxLength: number, options: object = {}) =>
  Type.String({ minLength: 1, maxLength, ...options });

// Atoms of RFC 5321 with letters of any script, and a domain of at least two labels.
const atom = "(?:(?![\\p{C}\\p{Z}])[A-Za-z0-9!#$%&'*+/=?^_`{|}~\\-\\u{80}-\\u{10FFFF}])+";
const label = '[\\p{L}\\p{M}\\p{N}](?:[\\p{L}\\p{M}\\p{N}\\-]*[\\p{L}\\p{M}\\p{N}])?';

/** What every address matches, for readers of the OpenAPI document: no language's dialect. */
const plainEmail = '^[^@ ]+@[^@ ]+[.][^@ ]+$';

// İ is one small letter to some programs and another one to others: two people's addresses could be taken for one.
const emailPattern = `^(?!.*\u0130)${atom}(?:\\.${atom})*@(?:${label}\\.)+${label}$`;
const longestEmail = 320;

/**
 * An email address, in letters of any script: RFC 6531. The one rule for every address that is stored or
 * mailed. Sign-in and the lists' filters take any text, because they only look an address up.
 */
export const email = (options: object = {}) =>
  Type.String({
    minLength: 3,
    maxLength: longestEmail,
    pattern: emailPattern,
    'x-plain': plainEmail,
    description: 'An address of mail, in letters of any script.',
    ...options,
  });

const emailForm = new RegExp(emailPattern, 'u');

/** The same rule for a text that comes from elsewhere than a request. */
export const isEmail = (text: string, maxLength = longestEmail): boolean =>
  countCharacters(text) <= maxLength && emailForm.test(text);

/** A buyer's id in requests: any text. A UUID is used as it is; any other text is mapped to a UUID. */
export const buyerId = (options: object = {}) =>
  text(255, {
    description:
      'Your own id of the buyer. A UUID is used as it is; any other text is turned into a UUID of version 5 in the namespace of your client id.',
    ...options,
  });

/** In responses: the buyer's id as the merchant gave it, beside the UUID that it was mapped to. */
export const externalId = () =>
  nullable(
    Type.String({
      description: 'Your own id of the buyer as you sent it; null if that is a UUID.',
    }),
  );

/** The same in requests, which may send it back beside that UUID. */
export const givenExternalId = () =>
  Type.Optional(
    nullable(
      text(255, {
        description:
          'Your own id of the buyer as responses show it; with it, userId may be the UUID derived from it.',
      }),
    ),
  );

/** Who wrote or made it, one of the merchant's people. */
export const author = () =>
  Type.Object({ userId: uuid(), email: Type.String(), name: nullable(Type.String()) });

/** A closed list of strings; literal types are kept. */
export const oneOf = <const T extends readonly string[]>(values: T, description?: string) =>
  Type.Unsafe<T[number]>({
    type: 'string',
    enum: [...values],
    ...(description ? { description } : {}),
  });

/** T or null in one keyword: `anyOf` serialises at half the speed. */
export const nullable = <T extends TSchema>(schema: T) => {
  const { type, enum: values, ...rest } = schema as { type?: string; enum?: unknown[] };
  return Type.Unsafe<Static<T> | null>({
    ...rest,
    type: [type, 'null'],
    ...(values ? { enum: [...values, null] } : {}),
  });
};

/** Metadata of merchants: at most 50 pairs, keys of 40 characters, values of 500. */
export const Metadata = Type.Unsafe<Record<string, string>>({
  type: 'object',
  propertyNames: { type: 'string', minLength: 1, maxLength: 40 },
  additionalProperties: { type: 'string', maxLength: 500 },
  maxProperties: 50,
});

/** An input object: unknown fields are refused. Contract, wire rules. */
export const input = <P extends TProperties>(properties: P, options: object = {}) =>
  Type.Object(properties, { additionalProperties: false, ...options });

/** A named component of the responses. */
export const component = <P extends TProperties>(name: string, properties: P) =>
  Type.Object(properties, { 'x-name': name });

/** The list envelope. Spec: List envelope. */
export const list = <T extends TSchema>(element: T) =>
  Type.Object({
    data: Type.Array(element),
    page: Type.Integer(),
    limit: Type.Integer(),
    total: Type.Integer({ description: 'Exact number of rows that match.' }),
    nextCursor: nullable(Type.String({ description: 'Pass as `cursor` for the next page.' })),
  });

/** Paging and sorting of every list. `rules` apply to the given values, before defaults. Contract §2. */
export const paging = <const S extends readonly string[], P extends TProperties>(
  sortFields: S,
  more: P,
  rules: object = {},
): TObject<P & ReturnType<typeof pagingProperties<S>>> =>
  Type.Object(
    { ...pagingProperties(sortFields), ...more },
    { additionalProperties: false, 'x-code': 'invalid_query', ...rules },
  ) as never;

const pagingProperties = <const S extends readonly string[]>(sortFields: S) => ({
  page: Type.Integer({ minimum: 1, default: 1, 'x-code': 'invalid_query' }),
  limit: Type.Integer({
    minimum: 1,
    maximum: 100,
    default: 20,
    'x-code': 'invalid_query',
  }),
  sortField: Type.Unsafe<S[number]>({
    type: 'string',
    enum: [...sortFields],
    default: sortFields[0],
    'x-code': 'invalid_query',
  }),
  sortDirection: Type.Unsafe<'ASC' | 'DESC'>({
    type: 'string',
    enum: ['ASC', 'DESC'],
    default: 'DESC',
    'x-code': 'invalid_query',
  }),
  // The cursor holds the key of a row, which may be a code of 400 bytes.
  cursor: Type.Optional(Type.String({ maxLength: 600, 'x-code': 'invalid_query' })),
});
