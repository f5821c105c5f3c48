// What has to happen among so many schedules, or they prove less than they say.

import { faultNames } from './chances.ts';
import { sights } from './sights.ts';

export const wantedOfSchedules: readonly string[] = [...faultNames, ...sights];

/** Ends of holds, forgotten keys and acts of others are shown with the guarded one: see `play.ts`. */
const withTheGuardedAlone: readonly string[] = [
  'a hold ran out',
  'a hold ran out while a statement waited for a lock',
  'a key was sent again after it was forgotten',
  'out of band: cancel',
  'out of band: capture',
  'out of band: expire',
  'told that the hold ran out',
];

export const wantedOfUnguarded: readonly string[] = wantedOfSchedules.filter(
  (what) => !withTheGuardedAlone.includes(what),
);
