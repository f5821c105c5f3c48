// Reads a provider's list of events in spans of at most a day, so that an interrupted run continues
// near the place where it stopped.

import type { ListedGateway } from '../../../storage/gateways/gateways.ts';
import type { NoticeSpan, Trace } from '../../ports.ts';
import { pause } from './even-pace.ts';

const spanMs = 24 * 3600 * 1000;
/** Spans overlap by ten minutes, because clocks differ and a list may lag behind. */
export const overlapMs = 600_000;
/** How often a page in the middle of a span is retried; the pause doubles each time. */
const mostAgain = 5;

export type Page<T> = { readonly trace: Trace } & (
  | { readonly kind: 'found'; readonly items: readonly T[]; readonly next: string | null }
  | { readonly kind: 'in_doubt'; readonly cause: string }
);

type FoundPage<T> = Extract<Page<T>, { kind: 'found' }>;

export type Walk<T> = {
  /** What is listed, for error messages: `notices not listed`. */
  readonly what: string;
  list(span: NoticeSpan): Promise<Page<T>>;
  keep(items: readonly T[]): Promise<void>;
  /** Saves that everything until this time has been listed. */
  save(until: Date): Promise<void>;
  readonly turn: () => Promise<void>;
  readonly signal: AbortSignal | undefined;
  /** The pause before the first retry of a page. */
  readonly pauseMs: number;
};

/** Lists every span up to `now`. Ends early when the signal is aborted. Throws when a page cannot be read. */
export async function walkSpans<T>(
  { listedUntil, now }: Pick<ListedGateway, 'listedUntil' | 'now'>,
  walk: Walk<T>,
): Promise<void> {
  for (let start = listedUntil.getTime(); start < now.getTime(); start += spanMs) {
    const until = new Date(Math.min(start + spanMs, now.getTime()));
    const from = new Date(start - overlapMs);
    for (let page: string | null = null; ; ) {
      const listed: FoundPage<T> | undefined = await askFor({ from, until, page }, walk);
      if (!listed) return;
      await walk.keep(listed.items);
      page = listed.next;
      if (page === null) break;
    }
    if (walk.signal?.aborted) return;
    await walk.save(until);
  }
}

/**
 * Returns one page; undefined when the walk is aborted. In the middle of a span, which would have
 * to start again from its first page, a provider that limits the rate or is away is retried.
 */
async function askFor<T>(
  span: NoticeSpan,
  { what, list, turn, signal, pauseMs }: Walk<T>,
): Promise<FoundPage<T> | undefined> {
  for (let again = 0; ; again++) {
    await turn();
    if (signal?.aborted) return undefined;
    const listed = await list(span);
    if (listed.kind === 'found') return listed;
    const { httpStatus } = listed.trace;
    const mayPass = httpStatus === null || httpStatus === 429 || httpStatus >= 500;
    if (span.page === null || !mayPass || again === mostAgain) {
      throw new Error(`${what} not listed: ${listed.cause} ${httpStatus ?? ''}`);
    }
    await pause(pauseMs * 2 ** again, signal);
  }
}
