// The random layers that have a cover: the counters that each must reach, where its planted faults
// are, how many seeds are searched, and how one seed is run again. Their fixtures are in
// `fixtures.ts`, so that the check of the covers needs no server.

import { wantedOfCheckouts } from '../checkout/expected-counters.ts';
import { wantedOfDetachments, wantedOfRaces } from '../detachment/expected-counters.ts';
import { wantedOfMerchants } from '../merchant/expected-counters.ts';
import { wantedOfApiModel, wantedOfPureModel } from '../model/expected-counters.ts';
import { plantedFaults } from '../planted-faults/faults.ts';
import type { PlantedFault } from '../planting/planted-fault.ts';
import { wantedOfRevocations } from '../revocation/expected-counters.ts';
import { wantedOfSchedules, wantedOfUnguarded } from '../simulation/expected-counters.ts';
import { wantedOfFew } from '../webhooks/expected-counters.ts';

export type CoverLayer = {
  /** The layer's name, which is also the name of its file. */
  readonly name: string;
  /** The suite of planted faults that the layer must catch. */
  readonly suite: string;
  readonly wanted: readonly string[];
  /**
   * The number of seeds from which a cover is chosen; more are run when these reach a counter too
   * rarely.
   */
  readonly scanned: number;
  /** The largest number of seeds that are run for a counter or a planted fault. */
  readonly most: number;
  readonly first: number;
  readonly step: number;
  readonly lanes: number;
  /**
   * True when real time matters: the same seed may then end differently, so a fault must be caught
   * three times.
   */
  readonly isTimed: boolean;
  /** The command that shows one seed again. */
  readonly replay: (seed: number) => string;
};

const usual = { first: 1, step: 1, lanes: 2, isTimed: false };
const script = (file: string, options: string) => `node_modules/.bin/node proof/${file} ${options}`;

const schedules = (mode: 'guarded' | 'unguarded'): CoverLayer => ({
  ...{ name: `schedules-${mode}`, suite: `simulation ${mode}` },
  wanted: mode === 'guarded' ? wantedOfSchedules : wantedOfUnguarded,
  // All seeds share the clocks of this process.
  ...{ ...usual, scanned: 200, most: 1000, lanes: 1 },
  replay: (seed) => `npm run sim -- --seed ${seed} --mode ${mode} --trace`,
});

export const coverLayers: readonly CoverLayer[] = [
  {
    ...{ name: 'model', suite: 'proof/model/pure-model.test.ts', wanted: wantedOfPureModel },
    ...{ ...usual, scanned: 200, most: 1000, lanes: 1 },
    replay: (seed) => `npm run model -- --layer pure --runs 100 --seed ${seed}`,
  },
  {
    ...{ name: 'api-model', suite: 'proof/model/api-model.test.ts', wanted: wantedOfApiModel },
    ...{ ...usual, scanned: 40, most: 300 },
    replay: (seed) => `npm run model -- --layer api --runs 10 --seed ${seed}`,
  },
  schedules('guarded'),
  schedules('unguarded'),
  {
    ...{ name: 'checkouts', suite: 'proof/checkout/interleavings.test.ts' },
    ...{ ...usual, wanted: wantedOfCheckouts, scanned: 400, most: 1000 },
    replay: (seed) => script('checkout/main.ts', `--seed ${seed}`),
  },
  {
    ...{ name: 'detachments', suite: 'detachments', wanted: wantedOfDetachments },
    ...{ ...usual, scanned: 500, most: 1000 },
    replay: (seed) => script('detachment/main.ts', `--seed ${seed}`),
  },
  {
    ...{ name: 'detachment-races', suite: 'detachment races', wanted: wantedOfRaces },
    ...{ ...usual, scanned: 100, most: 600 },
    replay: (seed) => script('detachment/main.ts', `--races --seed ${seed}`),
  },
  {
    ...{
      name: 'revocations',
      suite: 'proof/revocation/races.test.ts',
      wanted: wantedOfRevocations,
    },
    ...{ ...usual, scanned: 60, most: 200, isTimed: true },
    replay: (seed) => script('revocation/main.ts', `--seed ${seed}`),
  },
  {
    ...{ name: 'merchants', suite: 'proof/merchant/merchants.test.ts', wanted: wantedOfMerchants },
    // Each seed runs ten merchants.
    ...{ ...usual, scanned: 12, most: 60, step: 10, isTimed: true },
    replay: (seed) => script('merchant/main.ts', `--count 10 --seed ${seed}`),
  },
  {
    ...{ name: 'deliveries', suite: 'proof/webhooks/deliveries.test.ts', wanted: wantedOfFew },
    ...{ ...usual, scanned: 3, most: 20, lanes: 1, isTimed: true },
    replay: (seed) => script('webhooks/main.ts', `--count 150 --seed ${seed}`),
  },
];

export function coverLayer(name: string): CoverLayer {
  const found = coverLayers.find((layer) => layer.name === name);
  if (found) return found;
  const names = coverLayers.map((layer) => layer.name).join(', ');
  throw new Error(`no layer is called ${name}; there are ${names}`);
}

export const faultsOf = ({ suite }: Pick<CoverLayer, 'suite'>): PlantedFault[] =>
  plantedFaults.filter((fault) => fault.suite === suite);

/** Returns whether the violation is the one that the fault is expected to cause. */
export function isCaughtBy({ suite, caughtBy }: PlantedFault, violation: string): boolean {
  if (!suite.endsWith('.test.ts')) return caughtBy.test(violation);
  // The titles of the delivery layer name their rules; in the other layers one title stands for
  // every violation.
  const rules = /^[A-Z]\d+(, [A-Z]\d+)*(?=: )/.exec(caughtBy.source)?.[0].split(', ');
  return !rules || rules.some((rule) => violation.includes(`${rule} `));
}
