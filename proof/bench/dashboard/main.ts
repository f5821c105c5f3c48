// `npm run bench -- dashboard` measures the dashboard's reads with a million payments of one
// merchant.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startCluster } from '../cluster.ts';
import { type Closers, openClosers } from '../load/closers.ts';
import { canMeasure } from '../processor.ts';
import { type Product, startProduct } from '../product.ts';
import { type Figure, figureLine, measureQuestion } from './measure-question.ts';
import { measureReconcile } from './measure-reconcile.ts';
import { openCopy } from './payment-copy.ts';
import { questions } from './questions.ts';
import { seedPayments } from './seed-payments.ts';

const usage = `npm run bench -- dashboard [--rows N] [--times N] [--only NAME] [--json FILE] [--both] [--stay]

  --rows N     purchases of the merchant (default 1000000), some 8 % more rows with what follows them
  --times N    how often each question is asked (default 20)
  --only NAME  questions whose name begins so; may be repeated
  --json FILE  writes every figure
  --both       asks each question of the payments alone as well, without their copy
  --stay       keeps everything running afterwards, and says where, until Ctrl-C
`;

function readCount(text: string | undefined, name: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= 20_000_000) return count;
  throw new Error(`--${name} must be a whole number from 1, not ${text}.\n\n${usage}`);
}

async function run(closers: Closers): Promise<void> {
  const { values } = parseArgs({
    args: process.argv.slice(3),
    options: {
      rows: { type: 'string', default: '1000000' },
      times: { type: 'string', default: '20' },
      only: { type: 'string', multiple: true, default: [] },
      json: { type: 'string' },
      both: { type: 'boolean', default: false },
      stay: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return console.log(usage);
  if (!canMeasure) throw new Error('The bench reads /proc and runs on Linux only.');
  const rows = readCount(values.rows, 'rows');
  const times = readCount(values.times, 'times');
  const began = performance.now();
  const print = (line: string) =>
    console.log(`${((performance.now() - began) / 1000).toFixed(1).padStart(6)} s  ${line}`);

  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  await closers.add(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'logs'));
  const cluster = await startCluster(closers, { say: print, binaries: null });
  const onLoss = (text: string) => console.error(`bench: ${text}`);
  const product = await startProduct({ cluster, closers, folder, onLoss }, 'stub');
  await seedPayments(product, { rows, say: print });
  const copy = await openCopy(product, { closers, say: print });

  const figures: Figure[] = [];
  const chosen = questions.filter(
    ({ name }) => values.only.length === 0 || values.only.some((only) => name.startsWith(only)),
  );
  for (const question of chosen) {
    const figure = await measureQuestion(question, { product, cluster, times });
    figures.push(figure);
    console.log(figureLine(figure));
    if (!values.both) continue;
    await copy.hide();
    const alone = await measureQuestion(question, { product, cluster, times });
    await copy.show();
    console.log(figureLine({ ...alone, name: '  without the copy' }));
  }
  await measureReconcile(product, print);
  const over = figures.filter(({ p95Ms, mostMs }) => p95Ms > mostMs);
  console.log(
    `\n${rows} purchases, PostgreSQL ${cluster.version}, load ${loadavg()[0]?.toFixed(1)}; ` +
      `${over.length} of ${figures.length} over what they may take`,
  );
  if (values.json) writeFileSync(values.json, `${JSON.stringify(figures, null, 2)}\n`);
  if (values.stay) await serveUntilSignal(product);
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
