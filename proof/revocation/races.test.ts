import { scaled } from '@svc/tools/machine';
import { describe, it } from 'vitest';
import { expectCover } from '../covers/expect-cover.ts';

describe('races of a revocation with captures', () => {
  it(
    'the cover, ends of tokens, memberships, roles, sign-ins and consents: wholly before or wholly after',
    () => expectCover('revocations'),
    scaled(120_000),
  );
});
