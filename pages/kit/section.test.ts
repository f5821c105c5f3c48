// What a section shows while reads and changes overlap.

import { beforeAll, describe, expect, it, vi } from 'vitest';
import type * as Calls from './calls.ts';
import type * as Sections from './section.ts';

let Section: typeof Sections.Section;
let CallFailure: typeof Calls.CallFailure;

// The router reads the address when it is loaded.
beforeAll(async () => {
  vi.stubGlobal('location', new URL('http://localhost/account'));
  ({ Section } = await import('./section.ts'));
  ({ CallFailure } = await import('./calls.ts'));
});

const refusedFailure = (status: number) =>
  new CallFailure(status, { code: 'refused', message: 'No.' });

describe('a section', () => {
  it('of two reads at once the newer one counts, whichever answers last', async () => {
    const answers = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
    let reads = 0;
    const section = new Section(() => answers[reads++]?.promise ?? Promise.resolve('none'));
    const loads = [section.again(), section.again()];
    answers[1]?.resolve('new');
    answers[0]?.resolve('old');
    await Promise.all(loads);
    expect(section.content.value).toBe('new');
  });

  it('makes one change at a time, and reads after it', async () => {
    let reads = 0;
    const section = new Section(async () => ++reads);
    const held = Promise.withResolvers<void>();
    const first = section.change('a', () => held.promise, 'Done.');
    expect(await section.change('b', async () => undefined)).toBe(false);
    expect([section.work.value, section.news.value, reads]).toEqual(['a', null, 0]);
    held.resolve();
    expect(await first).toBe(true);
    expect([section.work.value, section.news.value?.text, reads]).toEqual([null, 'Done.', 1]);
  });

  it.each([
    [409, 0],
    [404, 1],
    [0, 1],
  ])('a change that failed with %i tells it, and reads %i times', async (status, read) => {
    let reads = 0;
    const section = new Section(async () => ++reads);
    const action = () => Promise.reject(refusedFailure(status));
    expect(await section.change('a', action, 'Done.')).toBe(false);
    expect(section.trouble.value).toMatchObject({ at: 'a', failure: { status } });
    expect([section.news.value, section.work.value, reads]).toEqual([null, null, read]);
  });

  it('what was read stays when reading again fails', async () => {
    let isFine = true;
    const section = new Section(async () => {
      if (!isFine) throw refusedFailure(503);
      return 'read';
    });
    await section.again();
    isFine = false;
    await section.again();
    expect([section.content.value, section.failure.value?.status]).toEqual(['read', 503]);
  });

  it('what is being prepared is asked for again by itself, until it is read or left', async () => {
    vi.useFakeTimers();
    try {
      const preparing = new CallFailure(503, { code: 'search_being_prepared' }, 5);
      let reads = 0;
      const section = new Section(async () => {
        reads += 1;
        if (reads === 1 || reads > 2) throw preparing;
        return 'read';
      });
      await section.again();
      await vi.advanceTimersByTimeAsync(4999);
      expect([reads, section.failure.value]).toEqual([1, preparing]);
      await vi.advanceTimersByTimeAsync(1);
      expect([reads, section.content.value, section.failure.value]).toEqual([2, 'read', null]);
      await vi.advanceTimersByTimeAsync(60_000);
      expect(reads).toBe(2);
      await section.again();
      section.leave();
      await vi.advanceTimersByTimeAsync(60_000);
      expect(reads).toBe(3);
    } finally {
      vi.useRealTimers();
    }
  });
});
