// Pages of objects, newest first, read by cursor as the SDK's auto-pagination expects.

import { invalidParameter, missingResource } from '../requests/errors.ts';
import { number, readNested, readText } from '../requests/parameters.ts';
import type { Filter, Kind, Kinds, Notes } from '../state/resources.ts';
import type { Call } from './core.ts';

export const pageRules = {
  limit: 'integer',
  starting_after: 'text',
  ending_before: 'text',
  created: 'range',
  expand: 'list',
} as const;

type Question<K extends Kind> = {
  url: string;
  customer?: string | undefined;
  intent?: string | undefined;
  charge?: string | undefined;
  keep?: (object: Kinds[K], notes: Notes[K]) => boolean;
};

const readCursor = (call: Call, kind: Kind, name: string): number | undefined => {
  const id = readText(call.values, name);
  if (id === undefined) return undefined;
  const seq = call.core.resources.findSeq(kind, call.account, id);
  if (seq === undefined) throw missingResource(kind, id, name);
  return seq;
};

const readCreated = (call: Call): Filter['created'] => {
  const exact = number(call.values, 'created');
  if (exact !== undefined) return { gte: exact, lte: exact };
  return readNested(call.values, 'created') as Filter['created'];
};

/** Returns one page: `{ object: 'list', url, has_more, data }`. */
export const answerList = <K extends Kind>(call: Call, kind: K, question: Question<K>) => {
  const limit = number(call.values, 'limit') ?? 10;
  if (limit < 1 || limit > 100) {
    throw invalidParameter('parameter_invalid_integer', 'limit', 'limit must be from 1 to 100');
  }
  const before = readCursor(call, kind, 'ending_before');
  const after = readCursor(call, kind, 'starting_after');
  if (before !== undefined && after !== undefined) {
    throw invalidParameter(
      'parameters_exclusive',
      'starting_after',
      'You may only specify one of these parameters: starting_after, ending_before.',
    );
  }
  const filter: Filter = {
    customer: question.customer,
    intent: question.intent,
    charge: question.charge,
    after,
    before,
    created: readCreated(call),
    // A filter that SQL cannot express is applied to all rows that SQL finds.
    limit: question.keep ? -1 : limit + 1,
  };
  const { keep } = question;
  const found = call.core.resources
    .list(kind, call.account, filter)
    .filter((kept) => keep === undefined || keep(kept.object, kept.notes));
  const page = found.slice(0, limit).map((kept) => kept.object);
  if (before !== undefined) page.reverse();
  return { object: 'list', url: question.url, has_more: found.length > limit, data: page };
};
