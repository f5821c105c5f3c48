// The possible meanings of a text in the search box. Each meaning is a query of a list. Additions §2, Search.

import type { Filter } from '@svc/contract/rows/row';
import { dayOf } from '@svc/contract/values/zone-days';
import { newestSpan, type Span, spanOf } from './search-days.ts';
import {
  type Choice,
  ofProvider,
  parseSearch,
  readAmounts,
  reference,
  type Term,
} from './search-terms.ts';

export type SearchedResource = 'payments' | 'customers' | 'disputes' | 'subscriptions';
export type Meaning = Term & { readonly of: SearchedResource };

/** Whose clock and days count. */
export type SearchClock = { readonly zone: string; readonly now: number };
/** A product that is called like the words of the text. */
export type NamedProduct = { readonly code: string; readonly name: string };

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const ofDispute = /^(?:dp|du)_\w+$/;

/** The most meanings of several words together: each is a query. */
const mostTogether = 12;

/** Returns the words of the text that may name a product; empty where it can name none. */
export const productWords = (text: string, clock: SearchClock): string =>
  isWhole(text) ? '' : parseSearch(text, dayOf(clock.now, clock.zone)).free;

/** An id or an address has that meaning alone. */
const isWhole = (text: string): boolean =>
  [uuid, ofProvider, ofDispute].some((form) => form.test(text)) || /^\S*@\S*$/.test(text);

/**
 * Returns every meaning of the text: its words joined by AND, and the text as a whole, such as a name. `products` have
 * names that begin with `productWords` of it.
 */
export function meaningsOf(
  text: string,
  clock: SearchClock,
  products: readonly NamedProduct[] = [],
): Meaning[] {
  const whole = wholeMeanings(text);
  if (isWhole(text)) return whole;
  const { pieces, free } = parseSearch(text, dayOf(clock.now, clock.zone));
  const named = products.flatMap((product) => productMeanings(product, pieces.length === 0));
  const found = [...combine(pieces, freeChoices(free, products), clock), ...named, ...whole];
  const keyOf = ({ of, filters }: Meaning) => `${of}?${queryOf(filters)}`;
  return found.filter((one, at) => found.findIndex((each) => keyOf(each) === keyOf(one)) === at);
}

const productMeanings = ({ code, name }: NamedProduct, isAlone: boolean): Meaning[] =>
  (isAlone ? (['payments', 'subscriptions'] as const) : []).map((of) => ({
    ...ofProduct(code, name),
    of,
  }));

const ofProduct = (code: string, name: string): Term => ({
  by: 'productCode',
  filters: [equals('productCode', code)],
  words: `product ${name}`,
});

/** What words beside others may be: a name, a product, an order number, an address. */
function freeChoices(free: string, products: readonly NamedProduct[]): readonly Choice[] {
  if (free === '') return [];
  const isOneWord = !free.includes(' ');
  const terms: Term[] = [
    nameTerm(free),
    ...products.map(({ code, name }) => ofProduct(code, name)),
    { by: 'metadata', filters: [equals('metadata', free)], words: `order number ${free}` },
    ...(isOneWord ? [ofProduct(free, free), emailTerm(free)] : []),
  ];
  return terms.map((term) => ({ term }));
}

/** Every meaning of pieces that are meant together. Those of one word alone are in the whole text too. */
function combine(
  pieces: readonly (readonly Choice[])[],
  free: readonly Choice[],
  clock: SearchClock,
): Meaning[] {
  if (pieces.length === 0) return [];
  let rows: readonly (readonly Choice[])[] = [[]];
  for (const choices of free.length > 0 ? [...pieces, free] : pieces) {
    rows = rows.flatMap((row) => choices.map((choice) => [...row, choice])).slice(0, 200);
  }
  return rows.flatMap((row) => together(row, clock)).slice(0, mostTogether);
}

/** The fields of a payment's filter that a dispute has too. */
const ofDisputes = new Set(['createdAt', 'amount', 'currency', 'isDisputed']);

/** Returns the payments, and the disputes, that the row of choices finds; nothing for one that contradicts itself. */
function together(row: readonly Choice[], { zone, now }: SearchClock): Meaning[] {
  const days = row.flatMap((choice) => choice.days ?? []);
  const hours = row.flatMap((choice) => choice.hours ?? []);
  if (days.length > 1 || hours.length > 1) return [];
  const [day] = days;
  const [hour] = hours;
  const span = day ? spanOf(day, hour ?? null, zone) : hour ? newestSpan(hour, zone, now) : null;
  if ((day || hour) && !span) return [];
  const terms = [...(span ? [ofSpan(span)] : []), ...row.flatMap(({ term }) => term ?? [])];
  const filters = terms.flatMap((term) => term.filters);
  const asked = filters.map(({ field, op }) => `${field}[${op === 'in' ? 'eq' : op}]`);
  if (new Set(asked).size < asked.length) return [];
  const meant: Meaning = {
    of: 'payments',
    by: terms.length === 1 ? (terms[0]?.by ?? 'several') : 'several',
    filters,
    words: terms.map(({ words }) => words).join(', '),
  };
  const isOfDispute =
    filters.some(({ field }) => field === 'isDisputed') &&
    filters.every(({ field }) => ofDisputes.has(field));
  const own = filters.filter(({ field }) => field !== 'isDisputed');
  return isOfDispute ? [{ ...meant, of: 'disputes', filters: own }, meant] : [meant];
}

const ofSpan = ({ fromMs, untilMs, words }: Span): Term => ({
  by: 'day',
  filters: [
    { field: 'createdAt', op: 'gte', values: [new Date(fromMs).toISOString()] },
    { field: 'createdAt', op: 'lt', values: [new Date(untilMs).toISOString()] },
  ],
  words,
});

/** Returns what the text means as a whole; four digits may be a card, an amount or an order number. */
function wholeMeanings(text: string): Meaning[] {
  if (uuid.test(text)) return idMeanings(text);
  const ofPayments = (term: Term): Meaning => ({ ...term, of: 'payments' });
  const provider = { by: 'providerId', words: `provider’s id ${text}` } as const;
  if (ofProvider.test(text)) {
    return [ofPayments({ ...provider, filters: [equals('providerId', text)] })];
  }
  if (ofDispute.test(text)) {
    return [{ ...provider, of: 'disputes', filters: [equals('providerDisputeId', text)] }];
  }
  const emails = (['payments', 'customers'] as const).map((of) => ({ ...emailTerm(text), of }));
  if (text.includes('@')) return emails;
  const name = text.toUpperCase();
  const exact = (of: SearchedResource, by: Meaning['by'], what: string, value = text): Meaning => ({
    ...{ of, by, filters: [equals(by, value)] },
    words: `${what} ${value}`,
  });
  return [
    ...(reference.test(name) ? [exact('payments', 'reference', 'reference', name)] : []),
    ...(/^\d{4}$/.test(text) ? [exact('payments', 'lastFour', 'card ending in')] : []),
    ...readAmounts(text).map(ofPayments),
    exact('payments', 'metadata', 'order number'),
    exact('payments', 'productCode', 'product'),
    exact('subscriptions', 'productCode', 'product'),
    ...(/\p{L}/u.test(text)
      ? [ofPayments(nameTerm(text)), { ...nameTerm(text), of: 'customers' as const }]
      : []),
    ...(/\s/.test(text) ? [] : emails),
    exact('customers', 'externalId', 'your id'),
  ];
}

const equals = (field: string, value: string): Filter => ({ field, op: 'eq', values: [value] });

const nameTerm = (name: string): Term => ({
  by: 'name',
  filters: [{ field: 'name', op: 'startsWith', values: [name.replace(/[,;]+(?=\s|$)/g, '')] }],
  words: `name ${name}`,
});

const emailTerm = (text: string): Term => ({
  by: 'email',
  filters: [{ field: 'email', op: 'startsWith', values: [text] }],
  words: `address ${text}`,
});

function idMeanings(id: string): Meaning[] {
  const of = (resource: SearchedResource, field: string, by: Meaning['by'] = 'id'): Meaning => ({
    ...{ of: resource, by, filters: [equals(field, id)] },
    words: by === 'id' ? `id ${id}` : `order number ${id}`,
  });
  return [
    of('payments', 'id'),
    of('payments', 'sessionId'),
    of('payments', 'userId'),
    // A merchant's own number of an order may be a UUID too.
    of('payments', 'metadata', 'metadata'),
    ...(['customers', 'disputes', 'subscriptions'] as const).map((resource) => of(resource, 'id')),
  ];
}

/** The filters as a query string of the list. */
export const queryOf = (filters: readonly Filter[]): string =>
  filters
    .map(({ field, op, values }) => `${field}[${op}]=${encodeURIComponent(values.join(','))}`)
    .join('&');
