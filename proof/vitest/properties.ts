// Replaces `fast-check` in tests (see vitest.config.ts): the same library with one seed for the
// whole run. `npm test` tries the same values every time, so that a failure is caused by a change
// and not by chance; the layer `properties` of `npm run soak` uses other seeds.

import fc from 'fast-check';

/** The variable with the seed of a run, which the soak sets and prints. */
export const propertySeed = 'SVC_PROPERTY_SEED';

fc.configureGlobal({ seed: Number(process.env[propertySeed] ?? 1) });

export * from 'fast-check';
// biome-ignore lint/style/noDefaultExport: it stands for a package that has one.
export default fc;
