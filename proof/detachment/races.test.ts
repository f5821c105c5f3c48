import { describeCover } from '../covers/expect-cover.ts';

describeCover('races of detachments', 'detachment-races', {
  guarantee:
    'the cover, with payments, renewals, set-ups, defaults and each other: no card goes under what uses it',
  repeats: true,
});
