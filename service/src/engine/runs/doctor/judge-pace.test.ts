import { expect, it } from 'vitest';
import { judgePace } from './judge-pace.ts';

const quiet = {
  ...{ accountId: 'acct_1', waiting: 0, postponed: 0, longestMs: 0, factor: 1 },
  toldAt: new Date(),
};

it('a burst is a note, a wait of more than a minute is wrong, and a quiet account is good', () => {
  expect(judgePace([quiet])).toMatchObject([{ verdict: 'good' }]);
  expect(judgePace([{ ...quiet, waiting: 30, postponed: 200, longestMs: 4120 }])).toMatchObject([
    { verdict: 'note', said: 'calls to acct_1 that wait for their turn: 230, up to 4.1 s' },
  ]);
  const long = { ...quiet, postponed: 2, longestMs: 90_000, factor: 0.49 };
  expect(judgePace([long])).toMatchObject([
    { verdict: 'wrong', said: expect.stringContaining('up to 90.0 s, at 49 % of its rate') },
  ]);
});
