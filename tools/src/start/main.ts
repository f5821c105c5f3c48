// `npm start`: everything that a newcomer needs, from an empty folder to a captured payment.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findStrays, judgeStrays } from '@svc/service/cli/operator/stray-databases';
import { demoOwnerEmail } from '@svc/service/start/seed';
import { type Block, printBlock } from './block.ts';
import { build } from './build.ts';
import { type Child, startChild } from './children.ts';
import { foldersOf, startDatabase } from './database.ts';
import { beginsSecondsAgo, liveDays, moveToNow } from './demo-days.ts';
import { givenSettings } from './given.ts';
import { type Merchant, openFolder, readKeys, writeEnvironment, writeKeys } from './keys.ts';
import { type Account, registerMerchant, withoutPace } from './merchant.ts';
import { readOptions, root, type StartOptions, usage, usualFolder } from './options.ts';
import { plans } from './plans.ts';
import { findPorts, type Ports } from './ports.ts';
import { payAsProof } from './proof.ts';
import { takeFolder, withdraw, writeRunning } from './running.ts';

const startedAt = Number(process.env.SVC_STARTED_AT ?? Date.now());
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  version: string;
};

let options: StartOptions;
try {
  options = readOptions(process.argv.slice(2));
} catch (error) {
  console.error((error as Error).message);
  process.exit(1);
}
if (options.isHelp) {
  console.log(usage);
  process.exit(0);
}
const out = options.isJson ? process.stderr : process.stdout;
// A reader that closes the pipe, as `head` does, must not end the process out of order.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
const isColour = out.isTTY === true && !process.env.NO_COLOR;
const paint = (code: number, text: string) => (isColour ? `\x1b[${code}m${text}\x1b[0m` : text);
const say = (line: string) => {
  if (!options.isQuiet) out.write(`    ${paint(2, line)}\n`);
};

/** Runs a step and prints a ticked line with its time. */
async function step<T>(name: string, work: () => Promise<T>): Promise<T> {
  const from = performance.now();
  const result = await work();
  tick(name, performance.now() - from);
  return result;
}

function tick(name: string, ms: number): void {
  if (options.isQuiet) return;
  out.write(`  ${paint(32, '✓')} ${name.padEnd(44)} ${paint(2, `${(ms / 1000).toFixed(2)} s`)}\n`);
}

const cleanUps: (() => Promise<void> | void)[] = [];
let isStopping = false;

async function stop(exitCode: number): Promise<never> {
  if (isStopping) return new Promise(() => undefined);
  isStopping = true;
  for (const cleanUp of cleanUps.reverse()) {
    await Promise.resolve(cleanUp()).catch((error: Error) => console.error(error.message));
  }
  process.exit(exitCode);
}

/** Clients end before servers, so that running calls complete and are not refused. */
const stopOrder = [['service'], ['demo-shop', 'vault'], ['sandbox']];

async function stopInOrder(children: readonly Child[]): Promise<void> {
  for (const names of stopOrder) {
    const phase = children.filter((child) => names.includes(child.name));
    await Promise.all(phase.map((child) => child.stop('SIGTERM')));
  }
}

function listenForSignals(children: Child[]): void {
  let count = 0;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      count += 1;
      if (count > 1) for (const child of children) void child.stop('SIGKILL');
      else {
        say('stopping');
        void stop(0);
      }
    });
  }
}

/** Quotes a path for a shell. */
const quoted = (path: string) =>
  /^[\w./:@-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;

function show(block: Block): void {
  if (options.isJson) process.stdout.write(`${JSON.stringify(block)}\n`);
  else {
    const { folder } = options;
    const dataFlag = folder === usualFolder ? '' : ` --data ${quoted(folder)}`;
    const facts = { folder, dataFlag, folders: foldersOf(folder), version, isColour };
    out.write(`${printBlock(block, facts)}\n`);
  }
}

/** Names databases that removed data folders have left behind. */
function tellStrays(): void {
  const strays = findStrays();
  if (strays.length > 0 && !options.isQuiet) {
    const { said, mend } = judgeStrays(strays, false);
    console.error(`    ${said}.\n    ${mend}`);
  }
}

/** The end of one process ends all: the remaining ones would only return errors. */
function endAllAfter(name: string, reason: string): void {
  if (isStopping) return;
  console.error(`${name} ended: ${reason}`);
  void stop(1);
}

async function startChildren(
  children: Child[],
  wanted: readonly Omit<Parameters<typeof startChild>[0], 'folder' | 'onExit'>[],
): Promise<void> {
  const started = await Promise.allSettled(
    wanted.map((plan) => startChild({ ...plan, folder: options.folder, onExit: endAllAfter })),
  );
  for (const one of started) if (one.status === 'fulfilled') children.push(one.value);
  for (const one of started) if (one.status === 'rejected') throw one.reason;
}

async function start(): Promise<void> {
  const { folder } = options;
  const { warning } = givenSettings(process.env);
  if (warning) console.error(`    ${warning}`);
  openFolder(folder);
  const taken = await takeFolder(folder, say);
  if ('other' in taken) {
    if (!options.isJson)
      out.write('\n  svc is already running here. What it printed at its start:\n');
    show(taken.other);
    process.exit(0);
  }
  cleanUps.push(taken.release);
  const children: Child[] = [];
  cleanUps.push(() => stopInOrder(children));
  // Runs first: another start then waits and does not point at processes that are ending.
  cleanUps.push(() => withdraw(folder));
  listenForSignals(children);

  const { isBegun, pace, ...described } = await startAll(children);
  if (isBegun) {
    const { sandboxUrl } = described;
    await step('thirty days of demo data', () =>
      withoutPace({ sandboxUrl, ...pace }, () => makeDemoData(described)),
    );
  }
  // Also when an earlier start was ended during the demo days.
  await moveToNow(described.sandboxUrl);
  const proof = await payAsProof(described, options.driver);
  const proofMs = proof.steps.reduce((sum, one) => sum + one.ms, 0);
  tick(`paid ${proof.amount} as proof`, proofMs);
  say(proof.steps.map((one) => `${one.name} ${one.ms.toFixed(0)} ms`).join(' · '));
  say(`payment ${proof.paymentId}`);
  const block: Block = { ...described, readyMs: Math.round(Date.now() - startedAt) };
  writeRunning(folder, block);
  show(block);
  tellStrays();
}

/** Makes the demo data. The product works without it, so a failure is printed and the start continues. */
async function makeDemoData(described: Omit<Block, 'readyMs'>): Promise<void> {
  const fixture = { ...described, driver: options.driver };
  await liveDays(fixture, () => isStopping).catch((error: Error) => {
    if (!isStopping) {
      console.error(
        `    the demo data is not complete: ${error.message}. To make it anew, remove ${options.folder}`,
      );
    }
  });
}

type Started = Omit<Block, 'readyMs'> & {
  readonly isBegun: boolean;
  readonly pace: { readonly serviceUrl: string; readonly gatewayId: string };
};

/** Starts database, builds and processes, at the same time where they do not depend on each other. */
async function startAll(children: Child[]): Promise<Started> {
  const { folder } = options;
  const ports: Ports = await step('free ports', () => findPorts(options.port, say));
  const keys = readKeys(folder);
  const [database] = await Promise.all([
    step('database', async () => {
      const starting = startDatabase(folder, keys, say);
      // Stopped last, because the processes write to it while they stop. Also when the stop comes before it
      // is up.
      cleanUps.splice(1, 0, async () => (await starting.catch(() => undefined))?.stop());
      return starting;
    }),
    step('card form and pages', build),
    step('sandbox card provider', () =>
      startChildren(children, [plans.sandbox({ ports, keys, folder })]),
    ),
  ]);
  database.watch(() => endAllAfter('database', 'its process is gone'));
  const facts = { ports, keys, folder, database };
  const wanted = {
    ...facts,
    driver: options.driver,
    beginsSecondsAgo: options.hasDemoData ? beginsSecondsAgo : undefined,
  };
  const { isBegun, ...registered } = await step('tables and demo merchant', () =>
    registerMerchant(wanted),
  );
  const { merchant, account } = registered;
  writeKeys(folder, { ...keys, merchant });
  // The shop starts before the service, which first delivers what an earlier run left.
  await step('card form and demo shop', () =>
    startChildren(children, [
      plans.vault({ ...facts, driver: options.driver }),
      plans.demoShop({ ...facts, merchant, account }),
    ]),
  );
  // The service never receives the addresses of owner and administrator: the tables exist by then, and commands
  // such as `svc migrate` and `svc bench` read them from this file.
  writeEnvironment(folder, {
    ...plans.service(facts).env,
    DATABASE_OWNER_URL: database.ownerUrl,
    ...(database.adminUrl ? { DATABASE_ADMIN_URL: database.adminUrl } : {}),
  });
  const { passed } = givenSettings(process.env);
  const service = plans.service(facts);
  const env = { ...passed, ...service.env };
  await step('API', () => startChildren(children, [{ ...service, env }]));
  const pace = { serviceUrl: database.serviceUrl, gatewayId: merchant.gatewayId };
  return { ...describe({ ports, ...registered, label: database.label }), isBegun, pace };
}

function describe(facts: {
  ports: Ports;
  merchant: Merchant;
  account: Account;
  ownerPassword: string | null;
  label: string;
}): Omit<Block, 'readyMs'> {
  const { ports, merchant, account, ownerPassword } = facts;
  const apiUrl = `http://localhost:${ports.api}`;
  return {
    apiUrl,
    checkoutUrl: apiUrl,
    cardFormUrl: `http://127.0.0.1:${ports.cardForm}`,
    sandboxUrl: `http://localhost:${ports.sandbox}`,
    dashboardUrl: `${apiUrl}/dashboard`,
    demoShopUrl: `http://127.0.0.1:${ports.demoShop}`,
    clientId: merchant.clientId,
    apiToken: merchant.apiToken,
    accountUrl: `${apiUrl}/account`,
    ownerEmail: demoOwnerEmail,
    ownerPassword,
    userId: merchant.userId,
    productCode: merchant.productCode,
    webhookSecret: merchant.webhookSecret,
    providerSecretKey: account.secretKey,
    providerPublishableKey: account.publishableKey,
    database: facts.label,
  };
}

try {
  await start();
} catch (error) {
  console.error(`\n${(error as Error).message}\n`);
  await stop(1);
}
