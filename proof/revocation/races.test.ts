import { describe, expect, it } from 'vitest';
import { runRevocations } from './run-revocations.ts';
import { wantedOfRevocations } from './wanted.ts';

describe('races of a revocation with captures', () => {
  it('100 ends of tokens, memberships, roles, sign-ins and consents: wholly before or wholly after', async () => {
    const { violations, sometimes } = await runRevocations({ count: 100, seed: 1 });
    expect(violations).toEqual([]);
    for (const what of wantedOfRevocations) expect(sometimes[what], what).toBeGreaterThan(0);
  }, 300_000);
});
