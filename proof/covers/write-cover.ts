// Chooses the seeds of a layer's cover and writes them down.

import { writeFileSync } from 'node:fs';
import { runCommand } from '@svc/tools/checks/command';
import { addCounts, runSeeds } from '../kit/run-seeds.ts';
import { describeFailure, lanesOf, type Scenario, seedsOf } from '../kit/scenario.ts';
import { withPlanted } from '../planting/changes.ts';
import type { PlantedFault } from '../planting/planted-fault.ts';
import { runNode } from '../vitest/run-vitest.ts';
import {
  type Cover,
  chooseSeeds,
  coverFile,
  leastMetOf,
  type SeedCounters,
  wantedOfCover,
} from './cover.ts';
import { openScenario } from './fixtures.ts';
import { faultsOf, isCaughtBy } from './scenarios.ts';

type PrintLine = (line: string) => void;

/** Writes the file, also where something is left that no seed shows; that is the answer. */
export async function writeCover(layer: Scenario, say: PrintLine): Promise<readonly string[]> {
  const { met, violations } = await scan(layer, say);
  if (violations.length > 0) return violations;
  const leastMet = leastMetOf(layer);
  const { seeds, counters } = chooseSeeds(met, { wanted: wantedOfCover(layer), leastMet });
  const problems = Object.entries(counters)
    .filter(([, times]) => times < leastMet)
    .map(([name, times]) => `${met.length} seeds meet "${name}" ${times} times`);
  const faults: Record<string, number> = {};
  const all = [...seeds];
  const fastest = met.toSorted((one, other) => one.seconds - other.seconds);
  for (const fault of faultsOf(layer)) {
    const seed = await findSeed(layer, fault, [
      ...fastest.map(({ seed: one }) => one).filter((one) => all.includes(one)),
      ...fastest.map(({ seed: one }) => one).filter((one) => !all.includes(one)),
    ]);
    say(`  ${fault.name}: ${seed === null ? 'CAUGHT BY NONE' : `seed ${seed}`}`);
    if (seed === null) problems.push(`no seed catches "${fault.name}"`);
    else faults[fault.name] = seed;
    if (seed !== null && !all.includes(seed)) all.push(seed);
  }
  await write(layer, { seeds: all, counters, faults });
  say(`  ${all.length} seeds, ${all.length - seeds.length} of them for faults alone`);
  return problems;
}

/** Runs seeds until each counter was met often enough; stops at a violation. */
async function scan(layer: Scenario, say: PrintLine) {
  const { perSeed = 1, scanned, most } = layer;
  const wanted = wantedOfCover(layer);
  const met: SeedCounters[] = [];
  const sums: Record<string, number> = {};
  const isRare = () => wanted.some((name) => (sums[name] ?? 0) < leastMetOf(layer));
  const violations: string[] = [];
  for (let from = 0; from < scanned || (from < most && isRare()); from = met.length) {
    const count = from < scanned ? scanned : Math.ceil(scanned / 4);
    const report = await runSeeds(() => openScenario(layer.name).open(), {
      ...{
        seeds: seedsOf(layer, 1 + from * perSeed, count * perSeed),
        lanes: lanesOf(layer),
        stopsAtFirst: true,
      },
      onSeed(seed, run, seconds) {
        met.push({ seed, seconds, sometimes: run.sometimes });
        addCounts(sums, run.sometimes);
        if (run.violations.length > 0) say(describeFailure(layer, seed, run));
      },
    });
    violations.push(...report.violations);
    if (violations.length > 0) break;
  }
  say(`  ${met.length} seeds were run`);
  // Lanes end in any order; the choice is the same whatever the order.
  met.sort((one, other) => one.seed - other.seed);
  return { met, violations };
}

/** The first seed that catches the fault, looked for among the chosen first; null if none does. */
async function findSeed(
  layer: Scenario,
  fault: PlantedFault,
  chosen: readonly number[],
): Promise<number | null> {
  const { most, perSeed = 1 } = layer;
  const others = seedsOf(layer, 1, most * perSeed).filter((seed) => !chosen.includes(seed));
  const args = ['--layer', layer.name, '--fault', fault.name, '--seeds'];
  const { code, text } = await withPlanted(fault.changes, (env) =>
    runNode([`${import.meta.dirname}/main.ts`, ...args, [...chosen, ...others].join(',')], { env }),
  );
  const said = /^first caught: (none|\d+)$/m.exec(text)?.[1];
  if (code !== 0 || said === undefined) throw new Error(`${fault.name}: not looked for:\n${text}`);
  return said === 'none' ? null : Number(said);
}

/** How often a seed has to catch a fault where time plays a part. */
const timesOfTimed = 3;

/** Runs the seeds in this process, in which the fault is planted; the first one that catches it. */
export async function findCatchingSeed(
  layer: Scenario,
  fault: PlantedFault,
  seeds: readonly number[],
): Promise<number | null> {
  const left = [...seeds];
  while (left.length > 0) {
    let found: number | undefined;
    await runSeeds(() => openScenario(layer.name).open(), {
      ...{ seeds: left.splice(0), stopsAtFirst: true },
      onSeed(seed, { violations }) {
        if (violations.some((one) => isCaughtBy(fault, one))) found = seed;
        else if (violations.length > 0) left.push(...seeds.slice(seeds.indexOf(seed) + 1));
      },
    });
    if (found === undefined) continue;
    if (await isCaughtAgain(layer, fault, found)) return found;
    left.push(...seeds.slice(seeds.indexOf(found) + 1));
  }
  return null;
}

async function isCaughtAgain(layer: Scenario, fault: PlantedFault, seed: number): Promise<boolean> {
  for (let times = 1; layer.isTimed && times < timesOfTimed; times++) {
    const { violations } = await runSeeds(() => openScenario(layer.name).open(), { seeds: [seed] });
    if (!violations.some((one) => isCaughtBy(fault, one.replace(/^seed \d+: /, '')))) return false;
  }
  return true;
}

async function write({ name }: Scenario, { seeds, counters, faults }: Cover): Promise<void> {
  const file = coverFile(name);
  const about = `Written by node proof/covers/main.ts --write ${name}`;
  writeFileSync(file, `${JSON.stringify({ about, seeds, counters, faults }, null, 2)}\n`);
  const root = `${import.meta.dirname}/../..`;
  const biome = `${root}/node_modules/.bin/biome`;
  const { code, output } = await runCommand(root, [biome, 'format', '--write', file]);
  if (code !== 0) throw new Error(output);
}
