// What a run compares, page by page, what matters most first. Bounded: what is watched, a share of the
// newest payments, and a share of the next stretch of the others, so that runs one after the other go
// through all of them. Else every payment since a day, in the order of their ids.

import type { Database } from '../../../storage/database/database.ts';
import {
  afterAll,
  beforeAll,
  type Choice,
  choosePage,
  chooseWatched,
  countPayments,
  countWatched,
  findStartOf,
  findStartOfNewest,
  type IdRange,
  type Page,
} from '../../../storage/payments/reconcile.ts';
import type { Place } from '../../../storage/payments/reconcile-turn.ts';

export type Bounds = {
  /** The newest payments, each looked at in every run. */
  readonly newest: number;
  /** How many of the others are looked at in one run. */
  readonly others: number;
  /** Where the run before ended. */
  readonly place: Place;
};

/** What was not looked at when a run ended. */
export type Left = {
  /** Watched payments. */
  readonly watched: number;
  /** Of the others those after this id; null where none was left. */
  readonly othersAfter: string | null;
  /** Where the next run goes on. */
  readonly place: Place;
};

const nowhere: Place = { watchedAfter: null, othersAfter: null };
/** What a run that was broken off reports as left out: it did not count. */
export const notCounted: Left = { watched: 0, othersAfter: null, place: nowhere };

/** Whether `othersAfter` is the place before the first payment. */
export const isBeginning = (othersAfter: string): boolean => othersAfter === beforeAll;

export type Pages = {
  /** How many are to be looked at. */
  total(): Promise<number>;
  pages(): AsyncGenerator<Page>;
  left(): Promise<Left>;
};

/** A page takes a share of the time only, also at a slow rate. */
const watchedPage = 200;

type Asked = { readonly choice: Choice; readonly pageSize: number };

/** Every payment since `choice.since`. */
export async function chooseAll(database: Database, { choice, pageSize }: Asked): Promise<Pages> {
  const start = await findStartOf(database, choice.since);
  let after: string | null = start;
  const how = { size: pageSize, choice, leavesWatched: false };
  return {
    total: () => countPayments(database, start, null),
    async *pages() {
      while (after !== null) {
        const page = await choosePage(database, { after, until: afterAll }, how);
        yield page;
        after = page.next;
      }
    },
    left: async () => ({ ...notCounted, othersAfter: after }),
  };
}

/** What one run of many looks at. */
export async function chooseBounded(
  database: Database,
  { choice, pageSize, bounds }: Asked & { readonly bounds: Bounds },
): Promise<Pages> {
  const { newest, others, place } = bounds;
  const newestStart = await findStartOfNewest(database, newest);
  const walked = place.watchedAfter ?? beforeAll;
  // Begins where the previous run ended, and wraps around to the first id.
  const watched: IdRange[] = [
    { after: walked, until: afterAll },
    ...(walked === beforeAll ? [] : [{ after: beforeAll, until: walked }]),
  ];
  let othersAfter: string | null =
    place.othersAfter !== null && place.othersAfter < newestStart ? place.othersAfter : beforeAll;
  const ofOthers = { choice, leavesWatched: true };

  async function* pagesOfWatched(): AsyncGenerator<Page> {
    for (let range = watched[0]; range; range = watched[0]) {
      const page: Page = await chooseWatched(database, range, { size: watchedPage, choice });
      yield page;
      if (page.next === null) watched.shift();
      else watched[0] = { ...range, after: page.next };
    }
  }
  async function* pagesOfNewest(): AsyncGenerator<Page> {
    const how = { ...ofOthers, size: pageSize };
    for (let after: string | null = newestStart; after !== null; ) {
      const page: Page = await choosePage(database, { after, until: afterAll }, how);
      yield page;
      after = page.next;
    }
  }
  async function* pagesOfOthers(): AsyncGenerator<Page> {
    for (let most = others; most > 0 && othersAfter !== null; ) {
      const size = Math.min(pageSize, most);
      const range = { after: othersAfter, until: newestStart };
      const page: Page = await choosePage(database, range, { ...ofOthers, size });
      yield page;
      most -= page.lookedAt;
      othersAfter = page.next;
    }
  }
  return {
    async total() {
      const of = await Promise.all(watched.map((range) => countWatched(database, range)));
      const rest = await countPayments(database, beforeAll, newest + others);
      return of.reduce((sum, one) => sum + one, rest);
    },
    async *pages() {
      yield* pagesOfWatched();
      yield* pagesOfNewest();
      if (newestStart !== beforeAll) yield* pagesOfOthers();
    },
    async left() {
      const of = await Promise.all(watched.map((range) => countWatched(database, range)));
      const [next] = watched;
      const isAll = newestStart === beforeAll;
      return {
        watched: of.reduce((sum, one) => sum + one, 0),
        othersAfter: isAll ? null : othersAfter,
        place: {
          watchedAfter: !next || next.after === beforeAll ? null : next.after,
          othersAfter: isAll ? null : othersAfter,
        },
      };
    },
  };
}
