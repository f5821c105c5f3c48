// Plants faults one after the other and reports which level catches each.

import { openCluster } from '../kit/cluster.ts';
import { PatchMisfit } from '../planting/changes.ts';
import {
  type Catch,
  type GateTest,
  gateTestOf,
  isCover,
  type PlantedFault,
} from '../planting/planted-fault.ts';
import { isChaos, runChaos } from './plant.ts';
import { openSuites, type SuiteRun, type Suites } from './suites.ts';

export type Verdict = {
  readonly fault: PlantedFault;
  /** The level that caught the fault; null when none did. */
  readonly level: 'gate' | 'proof' | null;
  /** The suite that failed, and its message. */
  readonly suite: string;
  readonly shown: string;
  readonly seconds: number;
  readonly catches: readonly Catch[];
};

type Options = {
  readonly onVerdict?: (verdict: Verdict) => void;
  /** Test files that may catch a fault faster than its own; they pass without it. */
  readonly fasterSuites?: (fault: PlantedFault) => readonly string[];
  readonly signal?: AbortSignal;
};

/**
 * Plants each fault, first against the tests of `npm test`, then against its chaos layer, if it has
 * one. Throws when a suite fails without any fault, because its results would then be meaningless.
 */
export async function plantAll(
  faults: readonly PlantedFault[],
  { onVerdict = () => undefined, fasterSuites = () => [], signal }: Options = {},
): Promise<Verdict[]> {
  const cluster = await openCluster();
  const suites = await openSuites();
  const verdicts: Verdict[] = [];
  try {
    for (const suite of new Set(faults.map(({ suite: one, inGate }) => inGate?.suite ?? one))) {
      const own = faults.filter((fault) => (fault.inGate?.suite ?? fault.suite) === suite);
      if (signal?.aborted) break;
      await requireGreen(suites, own);
      for (const fault of own) {
        if (signal?.aborted) break;
        const verdict = await judge(suites, fault, fasterSuites(fault));
        verdicts.push(verdict);
        onVerdict(verdict);
      }
    }
    return verdicts;
  } finally {
    await suites.close();
    await cluster.stop();
  }
}

const anyTitle = /(?:)/;
/** A cover has few tests; their messages, and not their titles, name the violation. */
const titlesOf = (test: GateTest): RegExp => (isCover(test) ? anyTitle : test.caughtBy);

/** Runs only the tests that must fail later, in one run for all faults of the suite. */
async function requireGreen(suites: Suites, faults: readonly PlantedFault[]): Promise<void> {
  const tests = faults.flatMap((fault) => gateTestOf(fault) ?? []);
  const [first] = tests;
  if (!first) return;
  const any = new RegExp(tests.map((test) => `(?:${titlesOf(test).source})`).join('|'));
  const { failures } = await suites.run(first.suite, any, []);
  if (failures.length === 0) return;
  const told = failures.map(({ title, lines }) => `${title}: ${lines.join(' ')}`);
  throw new Error(`${first.suite} is red without a fault: ${told.join('; ')}`);
}

async function judge(
  suites: Suites,
  fault: PlantedFault,
  faster: readonly string[],
): Promise<Verdict> {
  const secondsSince = startWatch();
  const test = gateTestOf(fault);
  const survived = { fault, level: null, suite: fault.suite, shown: 'all stayed green' };
  const inGate = test ? await judgeTest(suites, { ...survived, test }) : survived;
  const catches: Catch[] = [];
  const addCatch = ({ level, suite, shown }: UntimedVerdict, seconds: number) => {
    if (level) catches.push({ file: suite, test: shown, seconds });
  };
  addCatch(inGate, secondsSince());
  const found = isChaos(fault.suite) ? await judgeChaos(inGate) : inGate;
  if (found !== inGate) addCatch(found, secondsSince());
  const seconds = secondsSince();
  for (const suite of faster) catches.push(...(await tryFaster(suites, fault, suite)));
  return { ...found, seconds, catches };
}

/** Returns a function that tells the seconds since this call. */
function startWatch(): () => number {
  const from = performance.now();
  return () => Math.round((performance.now() - from) / 100) / 10;
}

/** Whatever test of the file fails has caught the fault, unless the test fails without the fault. */
async function tryFaster(
  suites: Suites,
  { changes }: PlantedFault,
  file: string,
): Promise<readonly Catch[]> {
  const secondsSince = startWatch();
  try {
    const { failures } = await suites.run(file, anyTitle, changes);
    const seconds = secondsSince();
    if (failures.length === 0) return [];
    const calm = await suites.run(file, anyTitle, []);
    const red = new Set(calm.failures.map(({ title }) => title));
    const caught = failures.filter(({ title }) => !red.has(title));
    return caught.slice(0, 1).map(({ title: test }) => ({ file, test, seconds }));
  } catch (error) {
    // The file does not load what was changed.
    if (error instanceof PatchMisfit) return [];
    throw error;
  }
}

type UntimedVerdict = Omit<Verdict, 'seconds' | 'catches'>;

async function judgeTest(
  suites: Suites,
  { test, ...survived }: UntimedVerdict & { readonly test: GateTest },
): Promise<UntimedVerdict> {
  const ran = await suites.run(test.suite, titlesOf(test), survived.fault.changes);
  const shown = findShown(test, ran);
  if (shown !== undefined) return { ...survived, level: 'gate', suite: test.suite, shown };
  return { ...survived, suite: test.suite, shown: ran.failures[0]?.title ?? survived.shown };
}

/** Returns a violation without the seed and the list mark that a message may put before it. */
const withoutSeed = (line: string): string =>
  line.replace(/^[+\-\s"'`]*/, '').replace(/^seed \d+[^:]*: /, '');

function findShown(test: GateTest, { failures }: SuiteRun): string | undefined {
  if (!isCover(test)) return failures.find(({ title }) => test.caughtBy.test(title))?.title;
  for (const { lines } of failures) {
    const found = lines.find((line) => test.caughtBy.test(withoutSeed(line)));
    if (found !== undefined) return found.replace(/^[+\-\s"'`]*/, '');
  }
  return undefined;
}

/** One random run may miss what another seed finds. */
const seedsOfChaos = 3;

/** A fault that belongs to a chaos layer must be found there as well. */
async function judgeChaos(inGate: UntimedVerdict): Promise<UntimedVerdict> {
  const { fault } = inGate;
  for (let seed = 1; seed <= seedsOfChaos; seed++) {
    const failures = await runChaos(fault.changes, fault.suite, seed);
    const shown = failures.find((one) => fault.caughtBy.test(one));
    if (shown === undefined) continue;
    return inGate.level === 'gate' ? inGate : { ...inGate, level: 'proof', shown };
  }
  return { ...inGate, level: null, suite: fault.suite, shown: 'the chaos layer saw nothing' };
}

/** Returns one line of progress. */
export function describeVerdict({ fault, level, suite, shown, seconds }: Verdict): string {
  const mark = level ? `caught in the ${level}` : 'SURVIVED';
  return `${mark.padEnd(19)} ${seconds.toFixed(1).padStart(5)} s  ${fault.name}\n${' '.repeat(29)}${suite}: ${shown.slice(0, 80)}`;
}
