// What must happen among a number of schedules, or they prove too little.

import { faultNames } from './chances.ts';
import { countedSights } from './sights.ts';

export const wantedOfSchedules: readonly string[] = [...faultNames, ...countedSights];

/**
 * Ends of holds, forgotten keys and acts of others are shown only with the guarded provider: see
 * `play.ts`.
 */
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
