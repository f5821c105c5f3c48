import { describe, expect, it } from 'vitest';
import { Polling } from './polling.ts';

describe('Polling, RFC 8628 §3.5', () => {
  it('a device that asks within five seconds is too soon, and waits five more from then on', () => {
    let nowMs = 0;
    const polling = new Polling(() => nowMs);
    const pollAt = (ms: number, code = 'a') => {
      nowMs = ms;
      return polling.isTooSoon(code);
    };
    expect(pollAt(0)).toBe(false);
    expect(pollAt(5000)).toBe(false);
    expect(pollAt(9999)).toBe(true);
    // The interval has grown to ten seconds.
    expect(pollAt(19_998)).toBe(true);
    expect(pollAt(34_998)).toBe(false);
    expect(pollAt(34_999, 'b')).toBe(false);
  });
});
