// Natural micro-batching: requests that arrive while earlier statements are under way go out
// together in one statement. No request waits for a batch to fill: a single request is sent at the
// next turn of the event loop.

import { DatabaseUnavailable, isConnectionError } from './database.ts';

export type BatchPlan<Ask, Answer> = {
  /**
   * Requests with the same key never share a batch: a statement can change a row only once. Absent
   * when the statement only reads.
   */
  keyOf?(ask: Ask): string;
  /** The most requests in one statement; 64 when absent. */
  readonly most?: number;
  /**
   * Under load, a batch that is not half full waits this long after the last one for more requests;
   * when absent it is sent at once. Only for requests that no caller waits for.
   */
  readonly gatherMs?: number;
  /** The statement for a single request; cheaper than a batch of one. */
  one(ask: Ask): Promise<Answer>;
  /** Returns the answers in the order of the requests; the batch succeeds or fails as a whole. */
  many(asks: readonly Ask[]): Promise<readonly Answer[]>;
};

const usualMost = 64;

// One statement at a time makes the fullest batches. A second statement runs beside the first when
// the first carries a single request, because then the load is low; when the first is late, because
// then it waits for something; or when a full batch is waiting.
const lanes = 2;
const lateMs = 10;

type QueuedAsk<Ask, Answer> = {
  readonly ask: Ask;
  readonly resolve: (answer: Answer | PromiseLike<Answer>) => void;
  readonly reject: (error: unknown) => void;
};

/** Never rejects: each request gets its own answer or error. */
async function sendBatch<Ask, Answer>(
  plan: BatchPlan<Ask, Answer>,
  batch: readonly QueuedAsk<Ask, Answer>[],
): Promise<void> {
  try {
    const answers = await plan.many(batch.map(({ ask }) => ask));
    batch.forEach(({ resolve }, at) => void resolve(answers[at] as Answer));
  } catch (error) {
    // The outcome is unknown, or the database is unreachable: each caller decides what that means for it.
    if (error instanceof DatabaseUnavailable || isConnectionError(error)) {
      for (const { reject } of batch) reject(error);
      return;
    }
    // Nothing was written; one bad row must not fail the other requests.
    await Promise.all(batch.map((each) => sendAlone(plan, each)));
  }
}

async function sendAlone<Ask, Answer>(
  plan: BatchPlan<Ask, Answer>,
  { ask, resolve }: QueuedAsk<Ask, Answer>,
): Promise<void> {
  const answer = plan.one(ask);
  resolve(answer);
  await answer.catch(() => undefined);
}

/** Opens the queue of one statement; the returned function sends a request and resolves with its answer. */
export function openBatches<Ask, Answer>(
  plan: BatchPlan<Ask, Answer>,
): (ask: Ask) => Promise<Answer> {
  const { most = usualMost, gatherMs = 0 } = plan;
  let waiting: QueuedAsk<Ask, Answer>[] = [];
  let busy = 0;
  let sentAt = 0;
  let endedAt = 0;
  let lastSize = 0;
  let isScheduled = false;

  let late: NodeJS.Timeout | undefined;

  const gatherLeftMs = (): number =>
    lastSize > 1 && waiting.length < most / 2 ? endedAt + gatherMs - performance.now() : 0;

  /** Schedules another look for when the running statement is late, or the time to gather has passed. */
  const waitForLate = (): void => {
    if (busy < lanes)
      late ??= setTimeout(sendWaiting, busy === 0 ? Math.ceil(gatherLeftMs()) : lateMs);
  };

  const maySend = (): boolean =>
    (busy === 0 && gatherLeftMs() <= 0) ||
    (busy > 0 &&
      busy < lanes &&
      (lastSize === 1 || waiting.length >= most || performance.now() - sentAt >= lateMs));

  /** Takes the first request of each key, in order; the others wait for the next batch. */
  const takeBatch = (): QueuedAsk<Ask, Answer>[] => {
    if (!plan.keyOf) return waiting.splice(0, most);
    const taken = new Map<string, QueuedAsk<Ask, Answer>>();
    const left: QueuedAsk<Ask, Answer>[] = [];
    for (const each of waiting) {
      const key = plan.keyOf(each.ask);
      if (taken.size < most && !taken.has(key)) taken.set(key, each);
      else left.push(each);
    }
    waiting = left;
    return [...taken.values()];
  };

  const sendWaiting = (): void => {
    isScheduled = false;
    clearTimeout(late);
    late = undefined;
    while (waiting.length > 0 && maySend()) {
      const batch = takeBatch();
      const [first] = batch;
      if (!first) return;
      busy += 1;
      sentAt = performance.now();
      lastSize = batch.length;
      void (batch.length === 1 ? sendAlone(plan, first) : sendBatch(plan, batch)).finally(() => {
        busy -= 1;
        endedAt = performance.now();
        sendWaiting();
      });
    }
    if (waiting.length > 0) waitForLate();
  };

  return (ask) =>
    new Promise((resolve, reject) => {
      waiting.push({ ask, resolve, reject });
      if (isScheduled) return;
      if (!maySend()) return waitForLate();
      isScheduled = true;
      setImmediate(sendWaiting);
    });
}

type SharedQuery<Answer> = { readonly answer: Promise<Answer>; isSent: boolean };

/**
 * Callers who ask the same before the query is sent share one answer. They never get the answer of
 * a query that was sent before they asked: a change made in between must show.
 */
export function shareAnswers<Ask, Answer>(
  keyOf: (ask: Ask) => string,
  one: (ask: Ask) => Promise<Answer>,
): (ask: Ask) => Promise<Answer> {
  const newest = new Map<string, SharedQuery<Answer>>();

  const openShared = (
    key: string,
    ask: Ask,
    before: Promise<unknown> | undefined,
  ): SharedQuery<Answer> => {
    const sendQuery = async (): Promise<Answer> => {
      // Queries with one key run one at a time and after a turn of the event loop, so that more
      // callers share one.
      await before?.catch(() => undefined);
      await new Promise((resolve) => setImmediate(resolve));
      shared.isSent = true;
      try {
        return await one(ask);
      } finally {
        if (newest.get(key) === shared) newest.delete(key);
      }
    };
    const shared: SharedQuery<Answer> = {
      answer: Promise.resolve().then(sendQuery),
      isSent: false,
    };
    return shared;
  };

  return (ask) => {
    const key = keyOf(ask);
    const known = newest.get(key);
    if (known && !known.isSent) return known.answer;
    const shared = openShared(key, ask, known?.answer);
    newest.set(key, shared);
    return shared.answer;
  };
}
