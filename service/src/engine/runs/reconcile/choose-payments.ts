// Chooses the payments that a run compares, page by page, the most important first. A bounded run
// takes the watched payments, a share of the newest ones, and a share of the next part of the
// others, so that successive runs go through all of them. Another run takes every payment since a
// day, in the order of their ids.

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
  /** How many of the newest payments are read in every run. */
  readonly newest: number;
  /** How many of the other payments are read in one run. */
  readonly others: number;
  /** Where the run before ended. */
  readonly place: Place;
};

/** The payments that were not read when a run ended. */
export type UnreadPayments = {
  /** The number of watched payments that were left. */
  readonly watched: number;
  /** The others after this id were left; null where none was. */
  readonly othersAfter: string | null;
  /** Where the next run continues. */
  readonly place: Place;
};

const nowhere: Place = { watchedAfter: null, othersAfter: null };
/** The value for a run that was aborted: what it left out was not counted. */
export const nothingUnread: UnreadPayments = { watched: 0, othersAfter: null, place: nowhere };

/** Whether `othersAfter` is the place before the first payment. */
export const isBeginning = (othersAfter: string): boolean => othersAfter === beforeAll;

export type Pages = {
  /** Returns how many payments are to be read. */
  total(): Promise<number>;
  pages(): AsyncGenerator<Page>;
  left(): Promise<UnreadPayments>;
};

/** Small, so that one page takes only a part of the time, also at a slow rate. */
const watchedPage = 200;

type ChooseOptions = { readonly choice: Choice; readonly pageSize: number };

/** Chooses every payment since `choice.since`. */
export async function chooseAll(
  database: Database,
  { choice, pageSize }: ChooseOptions,
): Promise<Pages> {
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
    left: async () => ({ ...nothingUnread, othersAfter: after }),
  };
}

/** Chooses the payments of one bounded run of a series. */
export async function chooseBounded(
  database: Database,
  { choice, pageSize, bounds }: ChooseOptions & { readonly bounds: Bounds },
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
