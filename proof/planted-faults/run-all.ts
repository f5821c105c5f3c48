import { type PlantedFault, plantedFaults } from './faults.ts';
import { type Found, isChaos, openCluster, runPlanted } from './plant.ts';

export type Verdict = {
  readonly fault: PlantedFault;
  readonly isCaught: boolean;
  readonly found: Found;
};

const isCaught = ({ caughtBy }: PlantedFault, { failures }: Found): boolean =>
  failures.some((title) => caughtBy.test(title));

/** A chance run may miss what another seed finds. */
const seedsOfChaos = 3;

/**
 * Plants each fault and says whether its suite turned red for the reason named. Throws when a suite
 * is red without any fault: its verdicts would mean nothing.
 */
export async function plantAll(
  faults: readonly PlantedFault[] = plantedFaults,
  onVerdict: (verdict: Verdict) => void = () => undefined,
): Promise<Verdict[]> {
  const cluster = await openCluster();
  try {
    for (const suite of new Set(faults.map((fault) => fault.suite))) {
      const { isRed, failures } = await runPlanted({ changes: [], suite }, 1);
      if (isRed) throw new Error(`${suite} is red without a fault: ${failures.join('; ')}`);
    }
    const verdicts: Verdict[] = [];
    for (const fault of faults) {
      let found = await runPlanted(fault, 1);
      for (let seed = 2; isChaos(fault.suite) && seed <= seedsOfChaos; seed++) {
        if (!isCaught(fault, found)) found = await runPlanted(fault, seed);
      }
      const verdict = { fault, found, isCaught: isCaught(fault, found) };
      verdicts.push(verdict);
      onVerdict(verdict);
    }
    return verdicts;
  } finally {
    await cluster.stop();
  }
}

/** One line of the table. */
export function describeVerdict({ fault, found, isCaught: caught }: Verdict): string {
  const title = found.failures.find((one) => fault.caughtBy.test(one)) ?? found.failures[0];
  const how = title ? title.slice(0, 80) : 'everything stayed green';
  const mark = caught ? 'caught  ' : 'SURVIVED';
  return `${mark} ${found.seconds.toFixed(1).padStart(5)} s  ${fault.name}\n${' '.repeat(18)}${how}`;
}
