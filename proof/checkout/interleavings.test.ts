import { describeCover } from '../covers/expect-cover.ts';

describeCover('interleavings of a checkout', 'checkouts', {
  guarantee: 'the cover: no charge without a settled claim, at most one live payment per session',
  repeats: true,
});
