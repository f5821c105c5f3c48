// `npm run soak`: every layer of the proof at its long count, unattended. See soak/run-level.ts.

import { runLevel } from './soak/run-level.ts';

await runLevel('soak');
