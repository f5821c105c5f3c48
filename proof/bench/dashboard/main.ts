// `npm run bench -- dashboard` measures the dashboard's reads with a million payments of one merchant; `-- growth` the
// same questions, captures and sessions with few and many payments, in turn.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startCluster } from '../cluster.ts';
import { type Closers, openClosers } from '../load/closers.ts';
import { startLoadProcess } from '../load/load-process.ts';
import { canMeasure } from '../processor.ts';
import { type Product, startProduct } from '../product.ts';
import { describeWrites, growthHead, growthLine, measureWrites, type Site } from './growth.ts';
import { type Figure, figureLine, measureQuestion } from './measure-question.ts';
import { measureReconcile } from './measure-reconcile.ts';
import { type Copy, openCopy } from './payment-copy.ts';
import { questions } from './questions.ts';
import { seedPayments } from './seed-payments.ts';

const usage = `npm run bench -- dashboard [--rows N] [--times N] [--only NAME] [--json FILE] [--both] [--stay]
npm run bench -- growth [the same]

  --rows N     purchases of the merchant (default 1000000), some 8 % more rows with what follows them; for growth
               given once for each size, the smallest first (default 10000 and 1000000)
  --times N    how often each question is asked (default 20)
  --only NAME  questions whose name begins so; may be repeated
  --json FILE  writes every figure
  --both       asks each question of the payments alone as well, without their copy
  --quick      growth's captures and sessions in one short round: shows that it works, proves no rate
  --stay       keeps everything running afterwards, and says where, until Ctrl-C
`;

function readCount(text: string | undefined, name: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= 20_000_000) return count;
  throw new Error(`--${name} must be a whole number from 1, not ${text}.\n\n${usage}`);
}

const isGrowth = process.argv[2] === 'growth';

function readArguments() {
  const { values } = parseArgs({
    args: process.argv.slice(3),
    options: {
      rows: {
        type: 'string',
        multiple: true,
        default: isGrowth ? ['10000', '1000000'] : ['1000000'],
      },
      times: { type: 'string', default: '20' },
      only: { type: 'string', multiple: true, default: [] },
      json: { type: 'string' },
      both: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      stay: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const sizes = values.rows.map((text) => readCount(text, 'rows'));
  if (!isGrowth && sizes.length > 1) throw new Error(`--rows is given once.\n\n${usage}`);
  return { ...values, sizes, times: readCount(values.times, 'times') };
}

type Print = (line: string) => void;
type Opened = Site & { readonly copy: Copy };

/** Starts a service for each size, on a database of its own of one server. */
async function openSites(closers: Closers, sizes: readonly number[], say: Print) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  await closers.add(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'logs'));
  const cluster = await startCluster(closers, { say, binaries: null });
  const onLoss = (text: string) => console.error(`bench: ${text}`);
  const fixture = { cluster, closers, folder, onLoss };
  const sites: Opened[] = [];
  for (const rows of sizes) {
    const product = await startProduct(fixture, { kind: 'stub', label: `stub${rows}` });
    await seedPayments(product, { rows, say });
    const copy = await openCopy(product, { closers, say });
    const [size] = await product.database.withAdmin(
      async (admin) =>
        (
          await admin.query<{ bytes: string }>(
            'select pg_database_size(current_database()) as bytes',
          )
        ).rows,
    );
    say(`${rows} purchases: ${Math.round(Number(size?.bytes) / rows)} bytes each in the database`);
    sites.push({ rows, product, copy });
  }
  await cluster.query('checkpoint');
  return { cluster, sites };
}

async function run(closers: Closers): Promise<void> {
  const { sizes, times, only, both, json, stay, help, quick } = readArguments();
  if (help) return console.log(usage);
  if (!canMeasure) throw new Error('The bench reads /proc and runs on Linux only.');
  const began = performance.now();
  const print = (line: string) =>
    console.log(`${((performance.now() - began) / 1000).toFixed(1).padStart(6)} s  ${line}`);
  const { cluster, sites } = await openSites(closers, sizes, print);
  const fixture = { products: sites.map(({ product }) => product), cluster, times };
  const line = ([first, ...more]: readonly Figure[]) =>
    !first ? '' : more.length === 0 ? figureLine(first) : growthLine([first, ...more]);
  if (isGrowth) console.log(growthHead(sites));
  const figures: Figure[][] = [];
  const chosen = questions.filter(
    ({ name }) => only.length === 0 || only.some((each) => name.startsWith(each)),
  );
  for (const question of chosen) {
    const found = await measureQuestion(question, fixture);
    figures.push(found);
    console.log(line(found));
    if (!both) continue;
    for (const { copy } of sites) await copy.hide();
    const alone = await measureQuestion(question, fixture);
    for (const { copy } of sites) await copy.show();
    console.log(line(alone.map((each) => ({ ...each, name: '  without the copy' }))));
  }
  for (const { rows, product } of sites) {
    await measureReconcile(product, (text) => print(`${rows} purchases, ${text}`));
  }
  if (isGrowth) {
    const load = await startLoadProcess(closers);
    const amount = quick
      ? { rounds: 1, ms: 200, warmRuns: 1 }
      : { rounds: 3, ms: 3000, warmRuns: 6 };
    const writes = await measureWrites({ cluster, load, sites, ...amount, say: print });
    console.log(describeWrites(writes));
  }
  const over = figures.filter((each) => each.some(({ p95Ms, mostMs }) => p95Ms > mostMs));
  console.log(
    `\n${sizes.join(', ')} purchases, PostgreSQL ${cluster.version}, load ${loadavg()[0]?.toFixed(1)}; ` +
      `${over.length} of ${figures.length} over what they may take`,
  );
  const bySize = figures.flatMap((each) =>
    each.map((figure, at) => ({ ...figure, rows: sizes[at] })),
  );
  if (json) writeFileSync(json, `${JSON.stringify(bySize, null, 2)}\n`);
  if (stay && sites[0]) await serveUntilSignal(sites[0].product);
}

/**
 * Keeps the service running until a signal ends the process. The credential belongs to this run.
 */
async function serveUntilSignal({
  origin,
  authorization,
  database,
  environment,
}: Product): Promise<void> {
  console.log(`\nAPI ${origin}  Authorization: ${authorization}`);
  for (const [name, value] of Object.entries(environment(0))) console.log(`${name}=${value}`);
  console.log(database.superuserUrl);
  await new Promise(() => setInterval(() => undefined, 60_000));
}

const closers = openClosers();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void closers.close().then(() => process.exit(1)));
}
try {
  await run(closers);
} catch (error) {
  console.error(`bench: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
await closers.close();
