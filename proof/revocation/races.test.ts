import { describeCover } from '../covers/expect-cover.ts';

describeCover('races of a revocation with captures', 'revocations', {
  guarantee:
    'the cover, ends of tokens, memberships, roles, sign-ins and consents: wholly before or wholly after',
});
