// The parameters of the service's lists, and their pages. Spec: List envelope. Contract §2, Lists.

import type { Calls, Lists } from './contract-types.ts';
import { type List, pagedList } from './paging.ts';
import {
  assertObject,
  type CallResponse,
  invalid,
  type ServiceCalls,
  withResponse,
} from './service-calls.ts';
import type { CallOptions } from './transport.ts';

/** Comparisons of one field. All of them must hold. */
export type Comparisons<T> = {
  eq?: T;
  ne?: T;
  in?: readonly T[];
  gt?: T;
  gte?: T;
  lt?: T;
  lte?: T;
  /** For emails and names: the beginning of the text, in any letter case. */
  startsWith?: T extends string ? string : never;
};

type QueryFields<Q, F> = {
  [K in keyof Q as string extends K ? never : K]?:
    | Q[K]
    | (K extends keyof F ? Comparisons<F[K]> : never);
};
type Filtered<Q, F> = { [K in Exclude<keyof F, keyof Q>]?: Comparisons<F[K]> };

/** Paging, sorting and filters of a list: `{ limit: 50, status: { in: ['failed', 'voided'] } }`. */
export type ListParams<C extends keyof Lists> = QueryFields<
  Lists[C]['query'],
  Lists[C]['filters']
> &
  Filtered<Lists[C]['query'], Lists[C]['filters']>;

type ElementOf<C extends keyof Lists & keyof Calls> = Calls[C]['answer'] extends {
  data: (infer T)[];
}
  ? T
  : never;

/** A list of the service. */
export type ListOf<C extends keyof Lists & keyof Calls> = List<ElementOf<C>, CallResponse<C>>;

type Envelope = {
  data: unknown[];
  page: number;
  limit: number;
  total: number;
  nextCursor?: string | null;
};

/** A list of the service at a path, with its parameters. */
export function listOf<C extends keyof Lists & keyof Calls>(
  calls: ServiceCalls,
  at: { path: string; params?: ListParams<C> | undefined; options?: CallOptions | undefined },
): ListOf<C> {
  const { path, params = {}, options } = at;
  assertObject('params', params);
  const readPage = async (before?: Envelope): Promise<Envelope | undefined> => {
    const place = before === undefined ? {} : placeAfter(before);
    if (place === undefined) return undefined;
    const query = writeQuery({ ...params, ...place });
    const { body, lastResponse } = await calls.send('GET', query ? `${path}?${query}` : path, {
      options,
    });
    return withResponse(body as Envelope, lastResponse);
  };
  return pagedList(readPage) as unknown as ListOf<C>;
}

/**
 * Uses the cursor where the service gave one: pages then neither skip nor repeat rows while rows are added.
 */
function placeAfter({ page, limit, total, nextCursor }: Envelope): object | undefined {
  if (nextCursor !== undefined)
    return nextCursor === null ? undefined : { page: undefined, cursor: nextCursor };
  return page * limit < total ? { page: page + 1 } : undefined;
}

/** `{ status: { in: ['a', 'b'] } }` is `status[in]=a,b`. */
function writeQuery(params: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    if (value === undefined) continue;
    if (typeof value !== 'object') query.set(name, String(value));
    else {
      for (const [operator, compared] of comparisonsOf(name, value)) {
        if (compared !== undefined)
          query.set(`${name}[${operator}]`, writeCompared(name, compared));
      }
    }
  }
  return query.toString();
}

/** A date, an empty object or an array holds no comparison: ignoring it would list everything. */
function comparisonsOf(name: string, value: object | null): [string, unknown][] {
  const comparisons = value === null || Array.isArray(value) ? [] : Object.entries(value);
  if (comparisons.length > 0) return comparisons;
  throw invalid(name, 'must be a value, or comparisons such as { eq: … } or { in: […] }');
}

function writeCompared(name: string, compared: unknown): string {
  if (!Array.isArray(compared)) return writeOne(name, compared);
  // The wire separates values by commas and cannot express a comma in a value.
  if (compared.some((one) => String(one).includes(','))) {
    throw invalid(name, 'has a value with a comma, which a list of values cannot hold');
  }
  return compared.map((one) => writeOne(name, one)).join(',');
}

/** A date becomes an instant in the wire's format. */
function writeOne(name: string, value: unknown): string {
  if (value instanceof Date && !Number.isNaN(value.valueOf())) return value.toISOString();
  if (value === undefined || (typeof value === 'object' && value !== null)) {
    throw invalid(name, 'has a comparison with what is no text, number or date');
  }
  return String(value);
}
