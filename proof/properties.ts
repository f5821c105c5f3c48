// What tests get for `fast-check`, see vitest.config.ts: the same, with one seed for all of a run. `npm
// test` tries the same values every time, so that red means the change and not the day; the layer
// `properties` of `npm run soak` goes through other seeds.

import fc from 'fast-check';

/** The seed of a run, as the soak sets it and says it. */
export const propertySeed = 'SVC_PROPERTY_SEED';

fc.configureGlobal({ seed: Number(process.env[propertySeed] ?? 1) });

export * from 'fast-check';
// biome-ignore lint/style/noDefaultExport: it stands for a package that has one.
export default fc;
