// The merchant's events as they arrive, from GET /v1/events?after=: each once, in order, across
// restarts of the service.

import { setTimeout as pause } from 'node:timers/promises';
import type { Event } from '@svc/contract/events/events';
import { msOf } from '@svc/contract/values/instants';
import { CommandError } from '../line/command.ts';
import { type Api, ApiRefusal, ApiUnreachable } from './api.ts';
import type { Project } from './project.ts';

export type FollowOptions = {
  /** Opens the service again: after a restart it may have another address. */
  open(): Project;
  /** Where to begin: after an event, at an instant, or now. */
  readonly from: { readonly after: string } | { readonly since: Date } | 'now';
  readonly signal: AbortSignal;
  /** Called once reading has begun: no later event is missed. */
  onReady?(): void;
  /** Called once each time the service becomes unreachable. */
  onLost?(reason: string): void;
  onBack?(): void;
  /** Called when the service does not know the last event: it runs on other data. */
  onOther?(): void;
};

const pollMs = 200;
const retryMs = 500;
const pageSize = 100;

/** An id before the very first event. Contract §7, `after`. */
const beginning = `evt_${'0'.repeat(32)}`;

type Page = { readonly data: readonly Event[]; readonly nextCursor: string | null };

/** Ends with `signal`. Throws the service's refusals, such as invalid credentials. */
export async function* followEvents(follow: FollowOptions): AsyncGenerator<Event, void> {
  const { signal } = follow;
  const ask = repeatUntilAnswered(follow);
  try {
    let place = await ask((api) => findPlace(api, follow.from, signal));
    follow.onReady?.();
    // The first id was typed by a person and may not exist; later ones came from the service.
    let isTyped = follow.from !== 'now' && 'after' in follow.from;
    while (!signal.aborted) {
      const { after, seen } = place;
      const page = await ask((api) => readAfter(api, after, signal));
      if (page === 'other' && isTyped) throw new CommandError(`there is no event ${after}`);
      isTyped = false;
      if (page === 'other') {
        follow.onOther?.();
        await pause(retryMs, undefined, { signal });
        place = await ask((api) => findPlace(api, 'now', signal));
        continue;
      }
      for (const event of page.data) {
        if (!seen.has(event.id)) yield event;
        seen.delete(event.id);
      }
      place = { after: page.data.at(-1)?.id ?? after, seen };
      if (page.data.length < pageSize) await pause(pollMs, undefined, { signal });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Repeats a call until the service answers. */
function repeatUntilAnswered({ open, signal, onLost, onBack }: FollowOptions) {
  let project = open();
  let isLost = false;
  return async <T>(work: (api: Api) => Promise<T>): Promise<T> => {
    for (;;) {
      try {
        const found = await work(project.api);
        if (isLost) onBack?.();
        isLost = false;
        return found;
      } catch (error) {
        if (!isTemporary(error) && !isOfEarlierStart(error, project, open)) throw error;
        if (!isLost) onLost?.((error as Error).message);
        isLost = true;
      }
      await pause(retryMs, undefined, { signal });
      project = reopened(open) ?? project;
    }
  };
}

/** A service that starts or stops gives no answer, or 5xx; a merchant at its limit gets 429. */
const isTemporary = (error: unknown): boolean =>
  error instanceof ApiUnreachable ||
  (error instanceof ApiRefusal && (error.status === 429 || error.status >= 500));

/**
 * A start with other data serves before it has written its credentials: until then the old ones are
 * wrong.
 */
const isOfEarlierStart = (
  error: unknown,
  { clientId }: Project,
  open: FollowOptions['open'],
): boolean =>
  error instanceof ApiRefusal && error.status === 401 && reopened(open)?.clientId !== clientId;

function reopened(open: () => Project): Project | undefined {
  try {
    return open();
  } catch {
    return undefined;
  }
}

async function readAfter(api: Api, after: string, signal: AbortSignal): Promise<Page | 'other'> {
  try {
    return await api<Page>(`GET /v1/events?after=${after}&limit=${pageSize}`, { signal });
  } catch (error) {
    if (error instanceof ApiRefusal && error.code === 'event_not_found') return 'other';
    throw error;
  }
}

/** `seen` are events after `after` that existed before the reading began. */
type Place = { readonly after: string; readonly seen: Set<string> };

/** How long a transaction may be under way with an event that is older than the newest one shown. */
const underWayMs = 10_000;

/**
 * Finds where the reading begins. An event that commits late may be older than the newest one that
 * is shown now, so "now" begins a little earlier and leaves out the events that were already there.
 */
async function findPlace(
  api: Api,
  from: FollowOptions['from'],
  signal: AbortSignal,
): Promise<Place> {
  if (from !== 'now' && 'after' in from) return { after: from.after, seen: new Set() };
  if (from !== 'now') {
    return { after: await lastBefore(api, from.since, signal), seen: new Set() };
  }
  const [newest] = (await list(api, 'limit=1', signal)).data;
  if (!newest) return { after: beginning, seen: new Set() };
  const start = new Date(msOf(newest.timestamp) - underWayMs);
  const seen = new Set<string>();
  let cursor: string | null = null;
  do {
    const query = `createdAt[gte]=${start.toISOString()}&limit=${pageSize}`;
    const page = await list(api, cursor === null ? query : `${query}&cursor=${cursor}`, signal);
    for (const { id } of page.data) seen.add(id);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return { after: await lastBefore(api, start, signal), seen };
}

async function lastBefore(api: Api, instant: Date, signal: AbortSignal): Promise<string> {
  const page = await list(api, `createdAt[lt]=${instant.toISOString()}&limit=1`, signal);
  return page.data[0]?.id ?? beginning;
}

const list = (api: Api, query: string, signal: AbortSignal): Promise<Page> =>
  api<Page>(`GET /v1/events?${query}`, { signal });
