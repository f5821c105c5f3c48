// Arguments of `npm run bench`.

import { type MeasureName, measureNames } from './measures.ts';

/** Pairs of limit and ours, and what has no limit beside it. */
type Chosen = MeasureName | 'start' | 'latency' | 'memory' | 'page';

export type BenchOptions = {
  readonly rounds: number;
  /** One run of one side. */
  readonly segmentMs: number;
  readonly warmMs: number;
  readonly starts: number;
  readonly only: readonly Chosen[];
  /** Captures of the measure of memory. */
  readonly captures: number;
  readonly jsonFile: string | null;
};

export const usage = `npm run bench -- [--quick] [--rounds N] [--only NAME] [--json FILE]

  --quick      short runs, about 45 s in all: shows that everything works, proves no rate
  --rounds N   rounds of limit and ours (default 5)
  --only NAME  measures whose name begins so; may be repeated:
               ${measureNames.join(', ')},
               start, latency, memory, page
  --json FILE  writes every sample
`;

const all: readonly Chosen[] = [...measureNames, 'start', 'latency', 'memory', 'page'];

const full = { rounds: 5, segmentMs: 2000, warmMs: 1500, starts: 5, captures: 100_000 };
const quick = { rounds: 2, segmentMs: 500, warmMs: 400, starts: 2, captures: 2000 };

/** Reads the arguments, or throws with one sentence and the usage. */
export function readOptions(args: readonly string[]): BenchOptions {
  const rest = [...args];
  const only: string[] = [];
  let base = full;
  let rounds: number | null = null;
  let jsonFile: string | null = null;
  const next = (name: string): string => {
    const value = rest.shift();
    if (value === undefined) throw new Error(`${name} needs a value.\n\n${usage}`);
    return value;
  };
  while (rest.length > 0) {
    const [name, inline] = (rest.shift() ?? '').split('=', 2);
    if (inline !== undefined) rest.unshift(inline);
    if (name === '--quick') base = quick;
    else if (name === '--rounds') rounds = readRounds(next('--rounds'));
    else if (name === '--only') only.push(next('--only'));
    else if (name === '--json') jsonFile = next('--json');
    else throw new Error(`Unknown argument ${name}.\n\n${usage}`);
  }
  const chosen = all.filter((name) => only.length === 0 || only.some((o) => name.startsWith(o)));
  const unknown = only.find((each) => !all.some((name) => name.startsWith(each)));
  if (unknown !== undefined) throw new Error(`No measure begins with ${unknown}.\n\n${usage}`);
  return { ...base, rounds: rounds ?? base.rounds, only: chosen, jsonFile };
}

function readRounds(text: string): number {
  const rounds = Number(text);
  if (Number.isInteger(rounds) && rounds >= 1 && rounds <= 1000) return rounds;
  throw new Error(`--rounds must be a whole number from 1 to 1000, not ${text}.\n\n${usage}`);
}
