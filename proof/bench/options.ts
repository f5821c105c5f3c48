// Arguments of `npm run bench`.

import { type MeasureName, measureNames } from './measures.ts';
import { deliveryNames } from './webhook-deliveries.ts';

/** Pairs of limit and service, and the measures that have no limit. */
type ChosenMeasure =
  | MeasureName
  | (typeof deliveryNames)[number]
  | 'start'
  | 'latency'
  | 'burst'
  | 'memory'
  | 'page'
  | 'smallest'
  | 'shops';

export type BenchOptions = {
  readonly rounds: number;
  /** The number of service processes, behind one port. */
  readonly processes: number;
  /** The length of one run of one side, in ms. */
  readonly segmentMs: number;
  readonly warmMs: number;
  /** A side warms up in so many runs at most. */
  readonly warmRuns: number;
  readonly starts: number;
  readonly only: readonly ChosenMeasure[];
  /** The number of captures for the measure of memory. */
  readonly captures: number;
  /** The number of deliveries in one run. */
  readonly deliveries: number;
  /** Captures at once, on an account of 25 a second. */
  readonly burst: number;
  /** How long whole purchases are made on the smallest machine. */
  readonly purchaseSeconds: number;
  readonly purchaseRates: readonly number[];
  /** Captures of a shop in one run. */
  readonly shopCaptures: number;
  /** The folder in which pg-boss and graphile-worker are installed. */
  readonly peersFolder: string | null;
  /** The folder that contains `bin/postgres` of another PostgreSQL than the project's. */
  readonly postgresFolder: string | null;
  readonly jsonFile: string | null;
};

export const usage = `npm run bench -- [--quick] [--rounds N] [--processes N] [--only NAME] [--peers FOLDER] [--postgres FOLDER] [--json FILE]

  --quick      short runs, about 45 s in all: shows that everything works, proves no rate
  --rounds N   rounds of limit and ours (default 5)
  --processes N  processes of the service behind its port (default 1)
  --only NAME  measures whose name begins so; may be repeated:
               ${measureNames.join(', ')},
               ${deliveryNames.join(', ')},
               start, latency, burst, memory, page;
               smallest (as root) and shops (installs Medusa and Vendure), only where they are named
  --peers FOLDER  with pg-boss and graphile-worker in its node_modules, for \`deliveries\`
  --postgres FOLDER  whose bin holds another PostgreSQL, such as /usr/lib/postgresql/15
  --json FILE  writes every sample

npm run bench -- dashboard, npm run bench -- growth: a merchant's questions as payments get many; --help tells more
`;

const all: readonly ChosenMeasure[] = [
  ...measureNames,
  ...deliveryNames,
  'start',
  'latency',
  'burst',
  'memory',
  'page',
];
/** Measured only where they are named. */
const named: readonly ChosenMeasure[] = ['smallest', 'shops'];

const full = {
  rounds: 5,
  segmentMs: 2000,
  warmMs: 1500,
  warmRuns: 6,
  starts: 5,
  captures: 100_000,
  deliveries: 40_000,
  burst: 500,
  purchaseSeconds: 40,
  purchaseRates: [20, 40],
  shopCaptures: 40,
};
const quick = {
  rounds: 2,
  segmentMs: 500,
  warmMs: 400,
  warmRuns: 1,
  starts: 2,
  captures: 2000,
  deliveries: 2000,
  burst: 75,
  purchaseSeconds: 2,
  purchaseRates: [20],
  shopCaptures: 4,
};

/** Reads the arguments. Throws an error of one sentence and the usage. */
export function readOptions(args: readonly string[]): BenchOptions {
  const rest = [...args];
  const only: string[] = [];
  let base = full;
  let rounds: number | null = null;
  let processes = 1;
  let jsonFile: string | null = null;
  let peersFolder: string | null = null;
  let postgresFolder: string | null = null;
  const nextValue = (name: string): string => {
    const value = rest.shift();
    if (value === undefined) throw new Error(`${name} needs a value.\n\n${usage}`);
    return value;
  };
  while (rest.length > 0) {
    const [name, inline] = (rest.shift() ?? '').split('=', 2);
    if (inline !== undefined) rest.unshift(inline);
    if (name === '--quick') base = quick;
    else if (name === '--rounds') rounds = readCount(nextValue, '--rounds', 1000);
    else if (name === '--processes') processes = readCount(nextValue, '--processes', 64);
    else if (name === '--only') only.push(nextValue('--only'));
    else if (name === '--peers') peersFolder = nextValue('--peers');
    else if (name === '--postgres') postgresFolder = nextValue('--postgres');
    else if (name === '--json') jsonFile = nextValue('--json');
    else throw new Error(`Unknown argument ${name}.\n\n${usage}`);
  }
  const known = [...all, ...named];
  const chosen =
    only.length === 0 ? all : known.filter((name) => only.some((o) => name.startsWith(o)));
  const unknown = only.find((each) => !known.some((name) => name.startsWith(each)));
  if (unknown !== undefined) throw new Error(`No measure begins with ${unknown}.\n\n${usage}`);
  const folders = { peersFolder, postgresFolder };
  return { ...base, rounds: rounds ?? base.rounds, processes, only: chosen, ...folders, jsonFile };
}

function readCount(next: (name: string) => string, name: string, most: number): number {
  const text = next(name);
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= most) return count;
  throw new Error(`${name} must be a whole number from 1 to ${most}, not ${text}.\n\n${usage}`);
}
