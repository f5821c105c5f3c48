// `npm run proof`: every layer of the proof, within an hour or so. See soak/run-level.ts.

import { runLevel } from './soak/run-level.ts';

await runLevel('proof');
