// A list that follows events: changed rows are read again in place, and new rows wait behind a button, so
// that nothing moves under the pointer.

import type { Event } from '@svc/contract/events/events';
import { msOf } from '@svc/contract/values/instants';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ListPage } from '../calls.ts';
import { call, failureOf, readAt } from '../calls.ts';
import { useMerchant } from '../merchant.ts';
import { serviceTime } from '../parts/sandbox-clock.tsx';
import type { ReadState } from '../read.ts';
import type { InputFor } from '../rows.ts';
import { countedNoun } from '../words.ts';
import type { ListSpec } from './list-spec.ts';

const waitSeconds = 25;
/** The pause after each poll. */
const gatherMs = 1_000;
/** The pause after a poll that failed. */
const restMs = 5_000;
const mostEvents = 100;
/** An event id that every event follows. */
const nilEvent = `evt_${'0'.repeat(32)}`;

type News<T> = {
  /** The rows of the page that changed, in their current form, by key. */
  readonly changed: ReadonlyMap<string, T>;
  /** How many more rows match than when the page was read. */
  readonly count: number;
};

const nothing = { changed: new Map<string, never>(), count: 0 };

/** Follows the list while the page is visible. `request` reads its first page. */
export function useListNews<T>(
  spec: ListSpec<T>,
  { read, request }: { readonly read: ReadState<ListPage<T>>; readonly request: string },
): News<T> {
  const { clientId } = useMerchant();
  const [news, setNews] = useState<News<T>>(nothing);
  const latest = useRef({ read, spec });
  latest.current = { read, spec };
  // A newly read list already contains everything new.
  useEffect(() => setNews(nothing), [read.content]);
  useEffect(() => {
    const { follows } = spec;
    if (!follows) return;
    const leave = new AbortController();
    void followEvents({ clientId, follows, signal: leave.signal }, async (ids) => {
      const shown = latest.current.read.content;
      if (!shown) return;
      const found = await readAgain({ clientId, request, spec: latest.current.spec, shown, ids });
      // Rows of earlier rounds stay changed; a list that was read meanwhile has begun anew.
      if (latest.current.read.content !== shown) return;
      setNews((before) => ({
        count: found.count,
        changed: new Map([...before.changed, ...found.changed]),
      }));
    });
    return () => leave.abort();
  }, [clientId, request]);
  return news;
}

async function readAgain<T>(asked: {
  readonly clientId: string;
  readonly request: string;
  readonly spec: ListSpec<T>;
  readonly shown: ListPage<T>;
  readonly ids: ReadonlySet<string>;
}): Promise<News<T>> {
  const { clientId, request, spec, shown } = asked;
  const keys = new Set(shown.data.map(spec.keyOf));
  const first = await readAt<ListPage<T>>(`${request}&page=1`, { clientId });
  const onFirst = first.data.filter((row) => keys.has(spec.keyOf(row)));
  const known = new Set(onFirst.map(spec.keyOf));
  const touched = [...keys].filter((key) => asked.ids.has(key) && !known.has(key));
  const rows = touched.length > 0 ? await readRows<T>(spec.path, touched, clientId) : [];
  return {
    changed: new Map([...onFirst, ...rows].map((row) => [spec.keyOf(row), row])),
    count: Math.max(0, first.total - shown.total),
  };
}

/** Rows as their list has them, by key. Those that cannot be read now stay as they are shown. */
async function readRows<T>(
  path: string,
  keys: readonly string[],
  clientId: string,
): Promise<readonly T[]> {
  try {
    const request = `${path}?limit=${keys.length}&id[in]=${keys.join(',')}`;
    return (await readAt<ListPage<T>>(request, { clientId })).data;
  } catch {
    return [];
  }
}

/** An event of this age may have happened between the list's read and this one. */
const freshMs = 10_000;

type NewsSource = {
  readonly clientId: string;
  /** The resource type that the list has rows of. */
  readonly follows: string;
  readonly signal: AbortSignal;
};

/** The id of the resource, and of the payment that a refund or chargeback belongs to. */
const idsOf = ({ resource, data }: Event): string[] =>
  [resource.id, data.object.parentPaymentId].filter((id) => typeof id === 'string');

/**
 * Reports the ids of resources that new events are about. Stops when the person may not read the merchant's
 * events.
 */
async function followEvents(
  { clientId, follows, signal }: NewsSource,
  onEvents: (ids: ReadonlySet<string>) => Promise<void>,
): Promise<void> {
  const read = (place: InputFor<'GET /v1/events'>) =>
    call('GET /v1/events', place, { clientId, signal, isVisitor: true });
  let last: string | null = null;
  while (!signal.aborted) {
    await untilVisible(signal);
    try {
      const isFirst: boolean = last === null;
      const { data }: { readonly data: readonly Event[] } = await read(
        last === null ? { limit: 1 } : { after: last, wait: waitSeconds, limit: mostEvents },
      );
      const told = data.filter(
        ({ timestamp, resource }) =>
          resource.type === follows && (!isFirst || msOf(timestamp) > serviceTime() - freshMs),
      );
      last = data.at(-1)?.id ?? last ?? nilEvent;
      if (told.length > 0) await onEvents(new Set(told.flatMap(idsOf)));
      // A busy merchant has events all the time: the pause gathers several of them into one poll.
      await pause(gatherMs, signal);
    } catch (cause) {
      const { status } = failureOf(cause);
      if (status === 401 || status === 403) return;
      // The list itself shows the error.
      await pause(restMs, signal);
    }
  }
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });

async function untilVisible(signal: AbortSignal): Promise<void> {
  if (document.visibilityState === 'visible') return;
  await new Promise<void>((resolve) => {
    document.addEventListener('visibilitychange', () => resolve(), { once: true });
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** "3 new payments": reads the list again from its first page. */
export const NewsButton = ({
  count,
  noun,
  onPress,
}: {
  readonly count: number;
  readonly noun: readonly [string, string];
  readonly onPress: () => void;
}) => {
  const [one, many] = noun;
  return count === 0 ? null : (
    <p class="list-news" aria-live="polite">
      <button type="button" class="second" onClick={onPress}>
        {countedNoun(count, [`new ${one}`, `new ${many}`])}
      </button>
    </p>
  );
};
