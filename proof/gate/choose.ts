// Chooses what `npm test` keeps of the candidates, by what catches each planted fault.

import { plantedFaults } from '../planted-faults/faults.ts';
import type { Verdict } from '../planted-faults/run-all.ts';
import type { FaultRow } from '../planted-faults/table.ts';
import { type Catch, gateTestOf, type PlantedFault } from '../planting/planted-fault.ts';
import { type Candidate, candidates } from './candidates.ts';
import { type Choice, isInGate, readChoice, writeChoice } from './choice.ts';

type Caught = Choice['faults'];

/**
 * Returns the candidates that `npm test` does not need: without them each fault that a test catches is still
 * caught. Of the others it keeps those that catch the most faults a second.
 */
export function chooseProof(all: readonly Candidate[], faults: Caught): string[] {
  const optional = new Set(all.filter(({ stays }) => !stays).map(({ file }) => file));
  const isKept = ({ file }: Catch): boolean => file.endsWith('.test.ts') && !optional.has(file);
  let open = Object.values(faults).filter((catches) => !catches.some(isKept));
  for (;;) {
    const gains = [...optional].map((file) => {
      const caught = open.flatMap((catches) => catches.find((one) => one.file === file) ?? []);
      const seconds = Math.max(0.1, ...caught.map((one) => one.seconds));
      return { file, gain: caught.length / seconds };
    });
    const [best] = gains.toSorted((one, other) => other.gain - one.gain);
    if (!best || best.gain === 0) return [...optional].sort();
    optional.delete(best.file);
    open = open.filter((catches) => !catches.some(isKept));
  }
}

/**
 * The files that may catch a fault in place of a candidate: those of the gate that another fault names. Only
 * a fault whose own suite is a candidate is tried against them.
 */
export function fasterSuites(fault: PlantedFault): string[] {
  const slow = new Set(candidates.map(({ file }) => file));
  if (!slow.has(gateTestOf(fault)?.suite ?? '')) return [];
  const named = plantedFaults.flatMap((one) => gateTestOf(one)?.suite ?? []);
  return [...new Set(named)].filter((file) => !slow.has(file));
}

/** Writes down what the faults of a run were caught by, and the choice that follows. */
export function recordVerdicts(verdicts: readonly Verdict[]): void {
  const known: Record<string, readonly Catch[]> = { ...readChoice().faults };
  for (const { fault, catches } of verdicts) known[fault.name] = catches;
  const faults = Object.fromEntries(
    plantedFaults.map(({ name }) => [
      name,
      (known[name] ?? []).toSorted((one, other) => one.seconds - other.seconds),
    ]),
  );
  writeChoice({ proof: chooseProof(candidates, faults), faults });
}

/** Returns, for each planted fault, the first level that catches it and its fastest test there. */
export function listCatches(choice: Choice): FaultRow[] {
  return Object.entries(choice.faults).map(([name, catches]) => {
    const inGate = catches.find((one) => isInGate(choice, one));
    const caught = inGate ?? catches[0];
    if (!caught) return { name, level: null, suite: '', shown: 'all stayed green', seconds: 0 };
    const level = inGate ? 'gate' : 'proof';
    return { name, level, suite: caught.file, shown: caught.test, seconds: caught.seconds };
  });
}
