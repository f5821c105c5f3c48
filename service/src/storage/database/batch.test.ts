import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openBatches, shareAnswers } from './batch.ts';
import { DatabaseUnavailable } from './database.ts';

/** A queue whose statements the test answers; `asked` lists the content of each statement. */
function aQueue(plan: { most?: number; gatherMs?: number } = {}) {
  const asked: string[][] = [];
  const answers: { give(): void; fail(error: Error): void }[] = [];
  const statement = (asks: readonly string[]) =>
    new Promise<string[]>((resolve, reject) => {
      asked.push([...asks]);
      answers.push({ give: () => resolve(asks.map((ask) => `${ask}!`)), fail: reject });
    });
  const ask = openBatches<string, string>({
    ...plan,
    keyOf: (text) => text.slice(0, 2),
    one: async (text) => (await statement([text]))[0] ?? '',
    many: statement,
  });
  return { ask, asked, answers, turn: () => new Promise((resolve) => setImmediate(resolve)) };
}

describe('openBatches', () => {
  // Only this clock makes a statement late: a pause of the machine does not.
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('alone: the plain statement, at the next turn', async () => {
    const { ask, asked, answers, turn } = aQueue();
    const answer = ask('a1');
    await turn();
    expect(asked).toEqual([['a1']]);
    answers[0]?.give();
    expect(await answer).toBe('a1!');
  });

  it('what comes while a statement is under way goes together when it is back', async () => {
    const { ask, asked, answers, turn } = aQueue();
    const first = [ask('a1'), ask('a2')];
    await turn();
    const rest = [ask('b1'), ask('c1')];
    await turn();
    rest.push(ask('d1'));
    await turn();
    expect(asked).toEqual([['a1', 'a2']]);
    answers[0]?.give();
    expect(await Promise.all(first)).toEqual(['a1!', 'a2!']);
    await turn();
    expect(asked[1]).toEqual(['b1', 'c1', 'd1']);
    answers[1]?.give();
    expect(await Promise.all(rest)).toEqual(['b1!', 'c1!', 'd1!']);
  });

  describe('what gathers', () => {
    /** Sends and answers a batch of many calls. */
    async function aCrowd() {
      const queue = aQueue({ most: 8, gatherMs: 15 });
      const crowd = [queue.ask('a1'), queue.ask('a2')];
      await queue.turn();
      queue.answers[0]?.give();
      await Promise.all(crowd);
      return queue;
    }

    it('waits for more after a crowd, and no longer than it says', async () => {
      const { ask, asked, turn } = await aCrowd();
      void ask('b1');
      await turn();
      void ask('c1');
      await vi.advanceTimersByTimeAsync(14);
      expect(asked).toHaveLength(1);
      await vi.advanceTimersByTimeAsync(2);
      expect(asked[1]).toEqual(['b1', 'c1']);
    });

    it('goes at once when half as many are there as a statement carries', async () => {
      const { ask, asked, turn } = await aCrowd();
      for (const text of ['b1', 'c1', 'd1', 'e1']) void ask(text);
      await turn();
      expect(asked[1]).toEqual(['b1', 'c1', 'd1', 'e1']);
    });

    it('goes at once when it comes alone, or long after', async () => {
      const { ask, asked, answers, turn } = aQueue({ most: 8, gatherMs: 15 });
      void ask('a1');
      await turn();
      answers[0]?.give();
      await turn();
      void ask('b1');
      await turn();
      expect(asked).toEqual([['a1'], ['b1']]);
      const later = await aCrowd();
      await vi.advanceTimersByTimeAsync(15);
      void later.ask('b1');
      await later.turn();
      expect(later.asked[1]).toEqual(['b1']);
    });

    it('carries no more than it says', async () => {
      const { ask, asked, turn } = aQueue({ most: 2 });
      for (const text of ['a1', 'b1', 'c1']) void ask(text);
      await turn();
      expect(asked[0]).toEqual(['a1', 'b1']);
    });
  });

  it('beside a single one goes a second at once', async () => {
    const { ask, asked, turn } = aQueue();
    void ask('a1');
    await turn();
    void ask('b1');
    void ask('c1');
    await turn();
    void ask('d1');
    await turn();
    expect(asked).toEqual([['a1'], ['b1', 'c1']]);
  });

  it('a late statement holds nobody up; a third one waits for either', async () => {
    const { ask, asked, answers, turn } = aQueue();
    const first = [ask('a1'), ask('a2')];
    await turn();
    vi.advanceTimersByTime(15);
    const second = [ask('b1'), ask('b2')];
    await turn();
    vi.advanceTimersByTime(15);
    const third = ask('c1');
    vi.advanceTimersByTime(15);
    expect(asked).toEqual([
      ['a1', 'a2'],
      ['b1', 'b2'],
    ]);
    answers[1]?.give();
    expect(await Promise.all(second)).toEqual(['b1!', 'b2!']);
    await turn();
    expect(asked[2]).toEqual(['c1']);
    answers[2]?.give();
    answers[0]?.give();
    expect(await Promise.all([...first, third])).toEqual(['a1!', 'a2!', 'c1!']);
  });

  it('who waits behind one that turns late goes without being pushed', async () => {
    const { ask, asked, turn } = aQueue();
    void ask('a1');
    void ask('a2');
    await turn();
    void ask('b1');
    await turn();
    expect(asked).toHaveLength(1);
    vi.advanceTimersByTime(25);
    expect(asked[1]).toEqual(['b1']);
  });

  it('the same key never twice in a statement, at most 64 in one, none left behind', async () => {
    const { ask, asked, answers, turn } = aQueue();
    const all = ['a1', 'a1', ...Array.from({ length: 70 }, (_, n) => `${n + 10}`)].map(ask);
    await turn();
    expect(asked.map((one) => one.length)).toEqual([64]);
    expect(asked[0]?.filter((one) => one === 'a1')).toHaveLength(1);
    answers[0]?.give();
    await turn();
    expect(asked.map((one) => one.length)).toEqual([64, 8]);
    answers[1]?.give();
    expect(await Promise.all(all)).toHaveLength(72);
  });

  it('a full batch more goes at once, beside the one under way', async () => {
    const { ask, asked, turn } = aQueue();
    for (let n = 0; n < 150; n++) void ask(String.fromCharCode(1000 + n));
    await turn();
    expect(asked.map((one) => one.length)).toEqual([64, 64]);
  });

  it('an error that wrote nothing: each once more by itself, and only its own fails', async () => {
    const { ask, asked, answers, turn } = aQueue();
    const all = Promise.allSettled([ask('a1'), ask('b1')]);
    await turn();
    answers[0]?.fail(Object.assign(new Error('check'), { code: '23514' }));
    await turn();
    expect(asked.slice(1)).toEqual([['a1'], ['b1']]);
    answers[1]?.fail(new Error('its own'));
    answers[2]?.give();
    const [bad, good] = await all;
    expect(bad).toMatchObject({ status: 'rejected', reason: { message: 'its own' } });
    expect(good).toEqual({ status: 'fulfilled', value: 'b1!' });
  });

  it.each([
    ['a lost connection', Object.assign(new Error('gone'), { code: 'ECONNRESET' })],
    ['no connection', new DatabaseUnavailable(new Error('none'))],
  ])('%s is told to each: nothing is sent again behind their backs', async (_, error) => {
    const { ask, asked, answers, turn } = aQueue();
    const all = Promise.allSettled([ask('a1'), ask('b1')]);
    await turn();
    answers[0]?.fail(error);
    const told = { status: 'rejected', reason: error };
    expect(await all).toEqual([told, told]);
    expect(asked).toHaveLength(1);
  });

  it('a failure does not stop the queue', async () => {
    const { ask, answers, turn } = aQueue();
    const bad = [ask('a1').catch(() => 'no'), ask('b1').catch(() => 'no')];
    await turn();
    answers[0]?.fail(Object.assign(new Error('gone'), { code: '57P01' }));
    expect(await Promise.all(bad)).toEqual(['no', 'no']);
    const next = ask('c1');
    await turn();
    answers.at(-1)?.give();
    expect(await next).toBe('c1!');
  });
});

describe('shareAnswers', () => {
  function aSource() {
    const sent: { key: string; give(answer: string): void; fail(error: Error): void }[] = [];
    const ask = shareAnswers(
      (key: string) => key,
      (key) =>
        new Promise<string>((resolve, reject) => {
          sent.push({ key, give: resolve, fail: reject });
        }),
    );
    const waitThreeTurns = async () => {
      for (let n = 0; n < 3; n++) await new Promise((resolve) => setImmediate(resolve));
    };
    return { ask, sent, turn: waitThreeTurns };
  }

  it('who asks before it is sent shares it; other questions go their own way', async () => {
    const { ask, sent, turn } = aSource();
    const all = [ask('a'), ask('a'), ask('b')];
    await turn();
    expect(sent.map(({ key }) => key)).toEqual(['a', 'b']);
    sent[0]?.give('1');
    sent[1]?.give('2');
    expect(await Promise.all(all)).toEqual(['1', '1', '2']);
  });

  it('who asks after it was sent hears a newer answer, one question for all of them', async () => {
    const { ask, sent, turn } = aSource();
    const early = ask('a');
    await turn();
    const late = [ask('a'), ask('a')];
    await turn();
    expect(sent).toHaveLength(1);
    sent[0]?.give('old');
    expect(await early).toBe('old');
    await turn();
    const latest = ask('a');
    expect(sent).toHaveLength(2);
    sent[1]?.give('new');
    expect(await Promise.all(late)).toEqual(['new', 'new']);
    await turn();
    sent[2]?.give('newest');
    expect(await latest).toBe('newest');
  });

  it('a failure is told to those who share it, and not to the next', async () => {
    const { ask, sent, turn } = aSource();
    const first = Promise.allSettled([ask('a'), ask('a')]);
    await turn();
    const next = ask('a');
    sent[0]?.fail(new Error('lost'));
    expect((await first).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await turn();
    sent[1]?.give('found');
    expect(await next).toBe('found');
  });
});
