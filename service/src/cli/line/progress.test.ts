import { describe, expect, it } from 'vitest';
import { startProgress } from './progress.ts';

function startProgressOn(isTTY: boolean) {
  let [nowMs, text] = [0, ''];
  const out = {
    isTTY,
    write(part: string) {
      text += part;
    },
  };
  const progress = startProgress('audit', out, { now: () => nowMs });
  return {
    at(ms: number, done: number, total: number) {
      nowMs = ms;
      text = '';
      progress.at(done, total);
      return text;
    },
    end() {
      text = '';
      progress.end();
      return text;
    },
  };
}

describe('startProgress', () => {
  it('on a terminal: a bar with rate and time left, drawn at most ten times a second', () => {
    const { at, end } = startProgressOn(true);
    expect(at(1000, 50, 200)).toBe(
      `\r\x1b[2Kaudit ${'█'.repeat(8)}${'░'.repeat(22)} 50 of 200 payments, 50/s, 3 s left`,
    );
    expect(at(1050, 60, 200)).toBe('');
    expect(at(1060, 200, 200)).toContain('200 of 200');
    expect(end()).toBe('\r\x1b[2K');
    expect(end()).toBe('');
  });

  it('elsewhere: a line every five seconds, none for short work', () => {
    const { at, end } = startProgressOn(false);
    expect(at(0, 0, 90_000)).toBe('');
    expect(at(4999, 10, 90_000)).toBe('');
    expect(at(5000, 500, 90_000)).toBe('audit: 500 of 90000 payments, 100/s, 14 min 55 s left\n');
    expect(at(9000, 900, 90_000)).toBe('');
    expect(at(10_000, 5, 90_000)).toBe('audit: 5 of 90000 payments, 0.5/s, 49 h 59 min left\n');
    expect(end()).toBe('');
  });

  it('an empty database is done at once', () => {
    expect(startProgressOn(true).at(10, 0, 0)).toContain('█'.repeat(30));
  });
});
