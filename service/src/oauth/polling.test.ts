import { describe, expect, it } from 'vitest';
import { Polling } from './polling.ts';

describe('Polling, RFC 8628 §3.5', () => {
  it('a device that asks within five seconds is too soon, and waits five more from then on', () => {
    let nowMs = 0;
    const polling = new Polling(() => nowMs);
    const askAt = (ms: number, code = 'a') => {
      nowMs = ms;
      return polling.isTooSoon(code);
    };
    expect(askAt(0)).toBe(false);
    expect(askAt(5000)).toBe(false);
    expect(askAt(9999)).toBe(true);
    // Ten seconds by now.
    expect(askAt(19_998)).toBe(true);
    expect(askAt(34_998)).toBe(false);
    expect(askAt(34_999, 'b')).toBe(false);
  });
});
