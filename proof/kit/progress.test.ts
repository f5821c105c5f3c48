import { describe, expect, it } from 'vitest';
import { startProgress } from './progress.ts';

function run(isTTY: boolean): string[] {
  const written: string[] = [];
  let ms = 0;
  const progress = startProgress('kills', 4, {
    out: { isTTY, write: (text) => written.push(text) },
    now: () => ms,
  });
  for (const done of [1, 2, 3, 4]) {
    ms += 2000;
    progress.at(done);
  }
  progress.end();
  return written;
}

describe('progress', () => {
  it('on a terminal: one line that is drawn again, with rate and time left', () => {
    const written = run(true);
    expect(written).toHaveLength(6);
    expect(written[2]).toContain('2 of 4, 0.50/s, 4 s left');
    expect(written.slice(0, 5).every((text) => text.startsWith('\r'))).toBe(true);
  });

  it('elsewhere: a line every five seconds, and one at the end', () => {
    expect(run(false)).toEqual([
      'kills: 3 of 4, 0.50/s, 2 s left\n',
      'kills: 4 of 4, 0.50/s, 0 s left\n',
    ]);
  });
});
