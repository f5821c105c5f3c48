import { describe, expect, it } from 'vitest';
import { openFairQueue } from './fair-queue.ts';

const bounds = { atOnce: 1, mostWaiting: 6, mostOfOnePlace: 4 };

/** A queue that records its turns and their order. */
function aHall() {
  const turns = openFairQueue(bounds);
  const came: string[] = [];
  const away: string[] = [];
  return {
    came,
    away,
    ask: (place: string, name = place) =>
      turns.enter(place).then((isIn) => void (isIn ? came : away).push(name)),
    /** Ends the running turn and lets the next one begin. */
    async next() {
      turns.leave();
      await Promise.resolve();
      await Promise.resolve();
    },
  };
}

describe('openFairQueue', () => {
  it('gives each place its turn, however many wait of another', async () => {
    const hall = aHall();
    for (let n = 0; n < 5; n++) void hall.ask('crowd', `crowd ${n}`);
    void hall.ask('one');
    void hall.ask('two');
    for (let n = 0; n < 6; n++) await hall.next();
    expect(hall.came).toEqual([
      'crowd 0',
      'crowd 1',
      'one',
      'two',
      'crowd 2',
      'crowd 3',
      'crowd 4',
    ]);
    // Free again.
    await hall.next();
    await hall.ask('late');
    expect(hall.came.at(-1)).toBe('late');
  });

  it('turns away who has so many waiting already', async () => {
    const hall = aHall();
    for (let n = 0; n < 7; n++) void hall.ask('crowd', `crowd ${n}`);
    await Promise.resolve();
    await Promise.resolve();
    expect(hall.away).toEqual(['crowd 5', 'crowd 6']);
  });

  it('is full for crowds alone: a newcomer takes the place of the longest line’s last', async () => {
    const hall = aHall();
    void hall.ask('first');
    for (let n = 0; n < 4; n++) void hall.ask('crowd', `crowd ${n}`);
    for (let n = 0; n < 2; n++) void hall.ask('group', `group ${n}`);
    void hall.ask('one');
    void hall.ask('two');
    for (let n = 0; n < 6; n++) await hall.next();
    expect(hall.away.sort()).toEqual(['crowd 2', 'crowd 3']);
    expect(hall.came).toContain('one');
    expect(hall.came).toContain('two');
    expect(hall.came).toHaveLength(7);
  });

  it('is full for everybody where each place waits with one', async () => {
    const hall = aHall();
    void hall.ask('first');
    for (let n = 0; n < 6; n++) void hall.ask(`place ${n}`);
    await hall.ask('seventh');
    expect(hall.away).toEqual(['seventh']);
  });
});
