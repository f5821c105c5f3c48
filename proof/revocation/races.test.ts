import { scaled } from '@svc/tools/machine';
import { describe, expect, it } from 'vitest';
import { runCover } from '../covers/run-cover.ts';

describe('races of a revocation with captures', () => {
  it(
    'the cover, ends of tokens, memberships, roles, sign-ins and consents: wholly before or wholly after',
    async () => {
      const { violations, never } = await runCover('revocations');
      expect(violations).toEqual([]);
      expect(never).toEqual([]);
    },
    scaled(120_000),
  );
});
