// What has to happen among so many schedules, or they prove less than they say.

import { faultNames } from './chances.ts';
import { sights } from './sights.ts';

export const wantedOfSchedules: readonly string[] = [...faultNames, ...sights];
