// Natural micro-batching: what arrives while earlier statements are under way goes out together in
// one statement. Nobody waits for a batch to fill: alone, a request goes at the event loop's next turn.

import { DatabaseUnavailable, isConnectionError } from './database.ts';

export type BatchPlan<Ask, Answer> = {
  /** Asks with the same key never share a batch: a statement changes a row once. Absent: it reads. */
  keyOf?(ask: Ask): string;
  /** How many asks a statement carries at most; absent: 64. */
  readonly most?: number;
  /**
   * In a crowd, a batch that is not half full waits so long after the last one for more; absent: it
   * goes at once. For what nobody waits for.
   */
  readonly gatherMs?: number;
  /** The plain statement; cheaper than a batch of one. */
  one(ask: Ask): Promise<Answer>;
  /** Answers in the order of the asks; all or nothing. */
  many(asks: readonly Ask[]): Promise<readonly Answer[]>;
};

const usualMost = 64;

// One statement at a time makes the fullest batches. A second one goes beside one that carries a
// single ask, for then there is no crowd; when the first is late, for then it waits for something; or
// when there is a full batch for it.
const lanes = 2;
const lateMs = 10;

type Waiting<Ask, Answer> = {
  readonly ask: Ask;
  readonly resolve: (answer: Answer | PromiseLike<Answer>) => void;
  readonly reject: (error: unknown) => void;
};

/** Never rejects: each member hears of its own answer or error. */
async function sendTogether<Ask, Answer>(
  plan: BatchPlan<Ask, Answer>,
  batch: readonly Waiting<Ask, Answer>[],
): Promise<void> {
  try {
    const answers = await plan.many(batch.map(({ ask }) => ask));
    batch.forEach(({ resolve }, at) => void resolve(answers[at] as Answer));
  } catch (error) {
    // Its fate is unknown, or there is no database: each caller knows what that means for it.
    if (error instanceof DatabaseUnavailable || isConnectionError(error)) {
      for (const { reject } of batch) reject(error);
      return;
    }
    // Nothing was written; one bad row shall not fail its neighbours.
    await Promise.all(batch.map((each) => sendAlone(plan, each)));
  }
}

async function sendAlone<Ask, Answer>(
  plan: BatchPlan<Ask, Answer>,
  { ask, resolve }: Waiting<Ask, Answer>,
): Promise<void> {
  const answer = plan.one(ask);
  resolve(answer);
  await answer.catch(() => undefined);
}

/** Opens the queue of one statement; the function it answers asks and awaits the answer. */
export function openBatches<Ask, Answer>(
  plan: BatchPlan<Ask, Answer>,
): (ask: Ask) => Promise<Answer> {
  const { most = usualMost, gatherMs = 0 } = plan;
  let waiting: Waiting<Ask, Answer>[] = [];
  let busy = 0;
  let sentAt = 0;
  let endedAt = 0;
  let lastSize = 0;
  let isScheduled = false;

  let late: NodeJS.Timeout | undefined;

  const gatherLeftMs = (): number =>
    lastSize > 1 && waiting.length < most / 2 ? endedAt + gatherMs - performance.now() : 0;

  /** Looks again when the statement under way is late, or the time to gather over. */
  const waitForLate = (): void => {
    if (busy < lanes) late ??= setTimeout(pump, busy === 0 ? Math.ceil(gatherLeftMs()) : lateMs);
  };

  const mayGo = (): boolean =>
    (busy === 0 && gatherLeftMs() <= 0) ||
    (busy > 0 &&
      busy < lanes &&
      (lastSize === 1 || waiting.length >= most || performance.now() - sentAt >= lateMs));

  /** The first ask of each key, in order; the others wait for the next batch. */
  const takeBatch = (): Waiting<Ask, Answer>[] => {
    if (!plan.keyOf) return waiting.splice(0, most);
    const taken = new Map<string, Waiting<Ask, Answer>>();
    const left: Waiting<Ask, Answer>[] = [];
    for (const each of waiting) {
      const key = plan.keyOf(each.ask);
      if (taken.size < most && !taken.has(key)) taken.set(key, each);
      else left.push(each);
    }
    waiting = left;
    return [...taken.values()];
  };

  const pump = (): void => {
    isScheduled = false;
    clearTimeout(late);
    late = undefined;
    while (waiting.length > 0 && mayGo()) {
      const batch = takeBatch();
      const [first] = batch;
      if (!first) return;
      busy += 1;
      sentAt = performance.now();
      lastSize = batch.length;
      void (batch.length === 1 ? sendAlone(plan, first) : sendTogether(plan, batch)).finally(() => {
        busy -= 1;
        endedAt = performance.now();
        pump();
      });
    }
    if (waiting.length > 0) waitForLate();
  };

  return (ask) =>
    new Promise((resolve, reject) => {
      waiting.push({ ask, resolve, reject });
      if (isScheduled) return;
      if (!mayGo()) return waitForLate();
      isScheduled = true;
      setImmediate(pump);
    });
}

type Shared<Answer> = { readonly answer: Promise<Answer>; isSent: boolean };

/**
 * Callers who ask the same before the question is sent share one answer. Never an answer to a
 * question that was sent before they asked: what changed by then must show.
 */
export function shareAnswers<Ask, Answer>(
  keyOf: (ask: Ask) => string,
  one: (ask: Ask) => Promise<Answer>,
): (ask: Ask) => Promise<Answer> {
  const newest = new Map<string, Shared<Answer>>();

  const open = (key: string, ask: Ask, before: Promise<unknown> | undefined): Shared<Answer> => {
    const send = async (): Promise<Answer> => {
      // One at a time and after the turn of the event loop, so that more of them meet.
      await before?.catch(() => undefined);
      await new Promise((resolve) => setImmediate(resolve));
      shared.isSent = true;
      try {
        return await one(ask);
      } finally {
        if (newest.get(key) === shared) newest.delete(key);
      }
    };
    const shared: Shared<Answer> = { answer: Promise.resolve().then(send), isSent: false };
    return shared;
  };

  return (ask) => {
    const key = keyOf(ask);
    const known = newest.get(key);
    if (known && !known.isSent) return known.answer;
    const shared = open(key, ask, known?.answer);
    newest.set(key, shared);
    return shared.answer;
  };
}
