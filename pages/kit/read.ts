// Reads of the API for pages: the previous content stays while it is read again, and a page that becomes
// visible again is read anew.

import { useEffect, useMemo, useRef } from 'preact/hooks';
import { type CallFailure, readAt, requestFor } from './calls.ts';
import { useMerchant } from './merchant.ts';
import { Reading } from './reading.ts';
import type { AnswerFor, InputFor, MerchantCall } from './rows.ts';

export type ReadState<T> = {
  /**
   * The content that was read last, perhaps for another address of the same page; null before the first
   * read.
   */
  readonly content: T | null;
  /** True when `content` belongs to the current address. */
  readonly isCurrent: boolean;
  readonly failure: CallFailure | null;
  readonly isReading: boolean;
  readonly again: () => Promise<void>;
};

/** Lets the back button show the previous content at once; the service is read all the same. */
const keptContents = new Map<string, unknown>();
const mostKept = 60;

function keep(key: string, content: unknown): void {
  keptContents.delete(key);
  keptContents.set(key, content);
  const [oldest] = keptContents.keys();
  if (keptContents.size > mostKept && oldest !== undefined) keptContents.delete(oldest);
}

/** A page that was hidden for longer than this is read again when it becomes visible. */
const staleMs = 5_000;

/** Calls `read` whenever `key` changes; what was read for another key is shown until the answer. */
export function useRead<T>(key: string, read: () => Promise<T>): ReadState<T> {
  const reading = useMemo(
    () => new Reading<T>(read, (keptContents.get(key) as T | undefined) ?? null),
    [key],
  );
  reading.read = read;
  const shown = useRef<T | null>(null);
  const content = reading.content.value;
  if (content !== null) shown.current = content;
  useEffect(() => {
    if (content !== null) keep(key, content);
  }, [key, content]);
  useEffect(() => {
    void reading.again();
    return () => reading.leave();
  }, [reading]);
  useFresh(reading);
  return {
    content: shown.current,
    failure: reading.failure.value,
    isCurrent: content !== null,
    // Before its first read begins, it is about to.
    isReading: reading.isReading.value || reading.lastAt === 0,
    again: reading.again,
  };
}

/** Reads again whenever the page becomes visible after a while. */
export function useFresh(reading: Pick<Reading<unknown>, 'lastAt' | 'again'>): void {
  useOnReturn(() => {
    if (Date.now() - reading.lastAt > staleMs) void reading.again();
  });
}

function useOnReturn(action: () => void): void {
  const latest = useRef(action);
  latest.current = action;
  useEffect(() => {
    const onReturn = () => {
      if (document.visibilityState === 'visible') latest.current();
    };
    addEventListener('focus', onReturn);
    document.addEventListener('visibilitychange', onReturn);
    return () => {
      removeEventListener('focus', onReturn);
      document.removeEventListener('visibilitychange', onReturn);
    };
  }, []);
}

/** Reads a row of the contract for the merchant of the page. `query`: more of its query, as text. */
export function useResource<C extends MerchantCall>(
  row: C,
  input: InputFor<C>,
  query = '',
): ReadState<AnswerFor<C>> {
  const { clientId } = useMerchant();
  const { path } = requestFor(row, input, query);
  return useRead(`${clientId} ${path}`, () => readAt<AnswerFor<C>>(path, { clientId }));
}

/**
 * Makes a change. After one that failed, also without an answer, the page is read `again`: it may have been
 * made, by this call or by somebody else.
 */
export async function readOnFailure<T>(
  again: () => Promise<unknown>,
  action: () => Promise<T>,
): Promise<T> {
  try {
    return await action();
  } catch (cause) {
    await again();
    throw cause;
  }
}

/** Repeats `action` while `isWanted` and the page is visible, one at a time. */
export function useRepeat(
  action: () => Promise<unknown>,
  everyMs: number,
  isWanted: boolean,
): void {
  const latest = useRef(action);
  const isActing = useRef(false);
  latest.current = action;
  useEffect(() => {
    if (!isWanted) return;
    const timer = setInterval(() => {
      if (document.visibilityState !== 'visible' || isActing.current) return;
      isActing.current = true;
      void latest.current().finally(() => {
        isActing.current = false;
      });
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs, isWanted]);
}

type Place = { readonly limit: number; readonly cursor?: string };
type Piece<T> = { readonly data: readonly T[]; readonly nextCursor: string | null };

/** Reads a whole list page by page, `most` rows at most. */
export async function readAll<T>(
  read: (place: Place) => Promise<Piece<T>>,
  most = 1000,
): Promise<readonly T[]> {
  const found: T[] = [];
  let cursor: string | null = null;
  do {
    const piece: Piece<T> = await read({ limit: 100, ...(cursor ? { cursor } : {}) });
    found.push(...piece.data);
    cursor = piece.nextCursor;
  } while (cursor && found.length < most);
  return found;
}
