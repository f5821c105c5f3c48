// Lists that load their pages: `await` gives the first page, `for await` every element of every page, with
// one request per page. Spec: List envelope.

import { invalid } from './service-calls.ts';

/** A list: a promise of its first page, and an iteration over all of its elements. */
export type List<T, P> = Promise<P> &
  AsyncIterable<T> & {
    /** Calls `each` with every element in turn. It stops when `each` returns false. */
    autoPagingEach(each: (element: T) => unknown): Promise<void>;
    /** The first elements, at most `limit` (1 to 10 000) of them. */
    toArray(options: { limit: number }): Promise<T[]>;
  };

const longestArray = 10_000;

/**
 * `read` reads the page after the given one, or the first. No request is sent before its page is needed.
 */
export function pagedList<T, P extends { data: T[] }>(
  read: (before?: P) => Promise<P | undefined>,
): List<T, P> {
  let first: Promise<P> | undefined;
  const begin = (): Promise<P> => {
    first ??= read() as Promise<P>;
    return first;
  };

  async function* elements(): AsyncGenerator<T, void, undefined> {
    for (let page: P | undefined = await begin(); page; page = await read(page)) yield* page.data;
  }

  return {
    // biome-ignore lint/suspicious/noThenProperty: a list is awaited for its first page.
    then: (onPage, onError) => begin().then(onPage, onError),
    catch: (onError) => begin().catch(onError),
    finally: (onEnd) => begin().finally(onEnd),
    [Symbol.toStringTag]: 'List',
    [Symbol.asyncIterator]: elements,
    async autoPagingEach(each) {
      for await (const element of elements()) if ((await each(element)) === false) return;
    },
    async toArray(options) {
      const limit = options?.limit;
      if (!Number.isInteger(limit) || limit < 1 || limit > longestArray) {
        throw invalid('limit', `must be a whole number from 1 to ${longestArray}`);
      }
      const found: T[] = [];
      for await (const element of elements()) if (found.push(element) === limit) break;
      return found;
    },
  };
}
