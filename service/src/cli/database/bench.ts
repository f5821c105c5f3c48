// `svc bench`: how many purchases a second this machine carries. docs/operating/sizes.md

import {
  type BenchRun,
  type BenchStep,
  CommandError,
  interruptedCode,
  type OperatorCommand,
  type OperatorSurroundings,
} from '../line/command.ts';
import { readFlags, readNumber, UsageError } from '../line/flags.ts';
import { table } from '../line/report.ts';

const help = `svc bench --provider sandbox: how many purchases a second this machine carries

  svc bench --provider sandbox                          at rising rates, until a capture takes too long
  svc bench --provider sandbox --rate 40 --seconds 30   at one rate

Starts service, card form and the stand-in of the card provider on free ports, with a scratch database on the
installation's own PostgreSQL, and makes whole purchases there: session, card form, hold, capture, webhook. A rate is
kept when every purchase came through, 98 of 100 in time, and 99 of 100 captures within 25 ms. The stand-in answers at
once: add your provider's time. CPU is that of the whole server of the database, so let nothing else run.

It never writes into the installation's database, refuses a live one (installation_live), and ends and drops all that
it made, after Ctrl-C too. It needs DATABASE_ADMIN_URL (or DATABASE_ADMIN_URL_FILE), a role that may create a database
and act as svc_owner, svc_service and svc_vault, as the superuser may. SVC_PROCESSES, SVC_POOL_SIZE, SVC_LOG_LEVEL and
SVC_MAX_IN_FLIGHT count as for the service. It exits with 0 when the rate, or any, was kept, 1 when not, 2 when it
could not run. docs/operating/sizes.md explains the table.

  --provider NAME  sandbox: no other is ever called
  --rate N         purchases a second, 1 to 2000
  --seconds N      of each rate, 1 to 600 (default 10); at most 60000 purchases in all
  --json           one JSON document instead of the table
  --database URL   the database; overrides DATABASE_URL
  --data DIR       the data folder of npm start (default .svc); overrides environment variables
`;

const goalMs = 25;
const mostPurchases = 60_000;
const firstRate = 20;
const highestRate = 2000;
const longestWarmUp = 15;
/** With fewer purchases, code that is still cold and pages that are still empty count too much. */
const fewWarm = 500;
const fewMade = 1000;
/** After the first rate that was not kept, the gap to the last one that was is halved so often. */
const halvings = 2;

export const benchCommand: OperatorCommand = {
  name: 'bench',
  summary: 'measure how many purchases a second this machine carries',
  help,
  async run(args, around) {
    const flags = readFlags(args, {
      provider: { type: 'string' },
      rate: { type: 'string' },
      seconds: { type: 'string' },
      json: { type: 'boolean' },
      database: { type: 'string' },
    });
    const wish = readWish(flags as Readonly<Record<string, string | undefined>>);
    const { signal } = around;
    const bench = around.bench(flags.database as string | undefined);
    const warmUpSeconds = Math.min(longestWarmUp, 2 * wish.seconds);
    const isJson = flags.json === true;
    const isKeptOnce = await bench({ warmUpSeconds, signal }, (run) =>
      measure(run, wish, { ...around, isJson }),
    );
    if (signal.aborted) return interruptedCode;
    return isKeptOnce ? 0 : 1;
  },
};

type Wish = { readonly rate: number | null; readonly seconds: number };

/** Throws UsageError, and CommandError for another provider. */
function readWish(flags: Readonly<Record<string, string | undefined>>): Wish {
  const { provider } = flags;
  if (provider === undefined) throw new UsageError('say whom it may call: --provider sandbox');
  if (provider !== 'sandbox') {
    throw new CommandError(
      `provider_not_sandbox: a load is never sent to ${provider}: only --provider sandbox. Nothing was started`,
    );
  }
  const seconds = Math.round(readNumber('seconds', flags.seconds ?? '10', { min: 1, max: 600 }));
  if (flags.rate === undefined) return { rate: null, seconds };
  const rate = readNumber('rate', flags.rate, { min: 1, max: highestRate });
  if (rate * seconds <= mostPurchases) return { rate, seconds };
  throw new UsageError(`--rate times --seconds is at most ${mostPurchases} purchases`);
}

const isKept = ({ rateAsked, rateReached, failed, captureMs }: BenchStep): boolean =>
  Object.keys(failed).length === 0 &&
  rateReached >= 0.98 * rateAsked &&
  captureMs !== null &&
  captureMs.p99 < goalMs;

type Place = Pick<OperatorSurroundings, 'out' | 'err'> & { readonly isJson: boolean };

/** Measures and prints. Returns whether a rate was kept. */
async function measure(run: BenchRun, wish: Wish, { out, err, isJson }: Place): Promise<boolean> {
  const { about } = run;
  const steps: BenchStep[] = [];
  if (!isJson) err.write(`${describe(about)}\n`);
  for await (const step of wish.rate === null ? climb(run, wish.seconds) : once(run, wish)) {
    steps.push(step);
    if (!isJson) err.write(`${lineOf(step)}\n`);
  }
  const growth = await run.growth();
  const kept = steps.filter(isKept).map(({ rateAsked }) => rateAsked);
  const highest = kept.length === 0 ? null : Math.max(...kept);
  if (isJson) {
    out.write(`${JSON.stringify({ about, steps, growth, goalMs, highestRateKept: highest })}\n`);
    return highest !== null;
  }
  out.write(table([head, ...steps.map((step) => rowOf(step, growth?.databaseBytes))]));
  for (const note of notesOf(steps, { about, growth, highest })) out.write(`${note}\n`);
  return highest !== null;
}

async function* once(run: BenchRun, { rate, seconds }: Wish): AsyncGenerator<BenchStep> {
  yield await run.step(rate ?? firstRate, seconds);
}

/** Doubles the rate until it is not kept, then halves the gap. */
async function* climb(run: BenchRun, seconds: number): AsyncGenerator<BenchStep> {
  let [low, high, left] = [0, Number.POSITIVE_INFINITY, mostPurchases];
  for (let rate = firstRate, halved = 0; rate <= highestRate && rate * seconds <= left; ) {
    const step = await run.step(rate, seconds);
    yield step;
    left -= rate * seconds;
    if (isKept(step)) low = rate;
    else high = rate;
    if (high === Number.POSITIVE_INFINITY) rate = low * 2;
    else {
      rate = Math.round((low + high) / 2);
      halved += 1;
      if (halved > halvings || rate <= low || rate >= high) return;
    }
  }
}

const ms = (value: number | null | undefined): string => (value == null ? '-' : value.toFixed(1));
const cpu = (value: number | null): string => (value === null ? '-' : value.toFixed(2));
const kilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(1)} kB`;

const describe = ({ server, cpus, memoryBytes, processes, warmedUpBy }: BenchRun['about']) =>
  `PostgreSQL ${server}, ${cpus} CPUs, ${(memoryBytes / 2 ** 30).toFixed(1)} GiB of memory, processes of the service: ` +
  `${processes}; warmed up by ${warmedUpBy} purchases`;

const lineOf = ({ rateAsked, rateReached, captureMs }: BenchStep): string =>
  `${rateAsked} a second: reached ${rateReached.toFixed(1)}, p99 of a capture ${ms(captureMs?.p99)} ms`;

const head = [
  ...['asked/s', 'reached/s', 'p50 ms', 'p95 ms', 'p99 ms', 'failed'],
  ...['service CPU ms', 'card form', 'database', 'disk a day'],
];

const sum = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((a, b) => a + b, 0);

function rowOf(step: BenchStep, bytes: number | undefined): string[] {
  const { rateAsked, rateReached, captureMs, failed, cpuMs } = step;
  const daily =
    bytes === undefined ? '-' : `${((bytes * rateReached * 86_400) / 1e9).toFixed(1)} GB`;
  return [
    ...[String(rateAsked), rateReached.toFixed(1)],
    ...[ms(captureMs?.p50), ms(captureMs?.p95), ms(captureMs?.p99), String(sum(failed))],
    ...[cpu(cpuMs.service), cpu(cpuMs.cardForm), cpu(cpuMs.database), daily],
  ];
}

type Ends = {
  readonly about: BenchRun['about'];
  readonly growth: Awaited<ReturnType<BenchRun['growth']>>;
  readonly highest: number | null;
};

function notesOf(steps: readonly BenchStep[], { about, growth, highest }: Ends): string[] {
  const refused = new Map<string, number>();
  for (const { failed } of steps) {
    for (const [code, count] of Object.entries(failed)) {
      refused.set(code, (refused.get(code) ?? 0) + count);
    }
  }
  const made = steps.reduce((all, { purchases }) => all + purchases, 0);
  const shared = steps.at(-1)?.cpuMs;
  const isSeen = shared?.database != null;
  return [
    ...(growth
      ? [
          `a payment: ${kilobytes(growth.databaseBytes)} of the database, ${kilobytes(growth.logBytes)} of its log`,
        ]
      : []),
    highest === null
      ? `no rate was kept with p99 under ${goalMs} ms`
      : `highest rate kept with p99 under ${goalMs} ms: ${highest} a second`,
    `load and stand-in of the provider took ${cpu(shared?.load ?? null)} and ${cpu(shared?.provider ?? null)} ms of CPU a purchase on this machine too`,
    ...(about.warmedUpBy < fewWarm
      ? [`only ${about.warmedUpBy} purchases warmed it up: CPU and times are higher than later`]
      : []),
    ...(made < fewMade ? [`only ${made} purchases: a payment takes less than is said here`] : []),
    ...(isSeen ? [] : ['the database is not seen on this machine: its CPU is not counted']),
    ...(about.isDurable
      ? []
      : ['fsync or full_page_writes is off: a database that keeps what it says is slower']),
    ...[...refused].map(([code, count]) => `failed with ${code}: ${count}`),
  ];
}
