// The scenarios, each with a cover; their fixtures are in `fixtures.ts`.

import { checkouts } from '../checkout/scenario.ts';
import { detachmentRaces, detachments } from '../detachment/scenario.ts';
import type { Scenario } from '../kit/scenario.ts';
import { merchants } from '../merchant/scenario.ts';
import { wantedOfApiModel, wantedOfPureModel } from '../model/expected-counters.ts';
import { plantedFaults } from '../planted-faults/faults.ts';
import type { PlantedFault } from '../planting/planted-fault.ts';
import { revocations } from '../revocation/scenario.ts';
import { schedulesGuarded, schedulesUnguarded } from '../simulation/scenario.ts';
import { deliveries } from '../webhooks/scenario.ts';

export const scenarios: readonly Scenario[] = [
  {
    ...{ name: 'model', suite: 'proof/model/pure-model.test.ts', wanted: wantedOfPureModel },
    ...{ scanned: 200, most: 1000, lanes: 1 },
  },
  {
    ...{ name: 'api-model', suite: 'proof/model/api-model.test.ts', wanted: wantedOfApiModel },
    ...{ scanned: 40, most: 300 },
  },
  schedulesGuarded,
  schedulesUnguarded,
  checkouts,
  detachments,
  detachmentRaces,
  revocations,
  merchants,
  deliveries,
];

export function findScenario(name: string): Scenario {
  const found = scenarios.find((one) => one.name === name);
  if (found) return found;
  const names = scenarios.map((one) => one.name).join(', ');
  throw new Error(`no layer is called ${name}; there are ${names}`);
}

export const faultsOf = ({ suite }: Pick<Scenario, 'suite'>): PlantedFault[] =>
  plantedFaults.filter((fault) => fault.suite === suite);

/** Returns whether the violation is the one that the fault is expected to cause. */
export function isCaughtBy({ suite, caughtBy }: PlantedFault, violation: string): boolean {
  if (!suite.endsWith('.test.ts')) return caughtBy.test(violation);
  // The titles of the delivery layer name their rules; in the other layers one title stands for
  // every violation.
  const rules = /^[A-Z]\d+(, [A-Z]\d+)*(?=: )/.exec(caughtBy.source)?.[0].split(', ');
  return !rules || rules.some((rule) => violation.includes(`${rule} `));
}
