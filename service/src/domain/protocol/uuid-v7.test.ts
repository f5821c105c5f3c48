import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { idSource, uuidV7 } from './uuid-v7.ts';

describe('uuidV7', () => {
  it('follows the example of RFC 9562, Appendix A.6', () => {
    const random = Buffer.from('98c4dc0c0c07398f', 'hex');
    expect(uuidV7(0x017f22e279b0, 0xcc3, random)).toBe('017f22e2-79b0-7cc3-98c4-dc0c0c07398f');
  });
});

describe('idSource', () => {
  it('ids ascend, through a used-up millisecond and a clock that steps back', () => {
    let now = 1_700_000_000_000;
    const newId = idSource(() => now, randomBytes);
    const ids = Array.from({ length: 5000 }, newId);
    now -= 10_000;
    ids.push(newId(), newId());
    expect(ids).toEqual([...ids].sort());
    expect(new Set(ids).size).toBe(ids.length);
  });
});
