import { describeCover } from '../covers/expect-cover.ts';

const verified = 'who takes over while the default is given back verifies again';

describeCover('detachments with faults after every step', 'detachments', {
  guarantee:
    'the cover: nothing depends on a removed card, a failure leaves it as it was, repeats end in 204',
  regressions: [
    [80847, verified],
    [82845, verified],
  ],
});
