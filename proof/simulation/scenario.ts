// Schedules of the simulation, as data: what must happen among a number of them, or they prove too little.

import type { Mode } from '@svc/sandbox';
import type { Scenario } from '../kit/scenario.ts';
import { faultNames } from './chances.ts';
import { countedSights } from './sights.ts';

const wanted: readonly string[] = [...faultNames, ...countedSights];

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

const scheduleScenario = (mode: Mode): Scenario => ({
  name: `schedules-${mode}`,
  suite: `simulation ${mode}`,
  // All seeds share the clocks of this process.
  ...{ scanned: 200, most: 1000, lanes: 1 },
  wanted:
    mode === 'guarded' ? wanted : wanted.filter((what) => !withTheGuardedAlone.includes(what)),
});

export const schedulesGuarded = scheduleScenario('guarded');
export const schedulesUnguarded = scheduleScenario('unguarded');
