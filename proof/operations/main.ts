// Runs the scenarios of one scene on a machine of its own (proof/kit/machine.ts) and prints a line of JSON for each.

import { setTimeout as pause } from 'node:timers/promises';
import type { LedgerEntry } from '../kit/provider-account.ts';
import { Buyers } from './buyers.ts';
import { type Ground, openGround } from './ground.ts';
import { type Evidence, judge } from './judge.ts';
import { look, mendLosses } from './operator.ts';
import { type Scenario, scenes } from './scenarios.ts';

const [folder = '', sceneName = '', words = ''] = process.argv.slice(2);

// What the fixture writes goes with the folder.
process.env.TMPDIR = folder;

const loops = 4;
/** Traffic before the fault and after it. */
const calmMs = 5000;
const restMs = 90_000;

/** Clocks differ, and the first purchases begin a little earlier. */
const lookBackMs = 1000;

async function runScenario(ground: Ground, scenario: Scenario) {
  const { fixture } = ground;
  const addresses = scenario.through ? [ground.proxy] : ground.addresses;
  const begun = Date.now();
  const buyers = new Buyers(fixture, addresses, scenario.loops ?? loops);
  await pause(calmMs);
  const from = Date.now();
  await scenario.run(ground);
  await pause(calmMs);
  const until = Date.now();
  await buyers.stop(restMs);
  await settled(ground);
  const first = await look(ground, begun - lookBackMs);
  const { rows } = await fixture.owner.query<{ id: string; status: string }>(
    'select id, status from payments',
  );
  const { entries } = await fixture.control<{ entries: (LedgerEntry & { at: string })[] }>(
    'GET',
    '/ledger',
  );
  const known = new Map(rows.map(({ id, status }) => [id, status]));
  const said = scenario.losesRows
    ? await mendLosses(ground, { since: begun - lookBackMs, asked: buyers.asked })
    : first;
  const evidence: Evidence = {
    ...{ from, begun, until, asked: buyers.asked, known },
    named: new Set(first.unknown.map(({ providerId }) => providerId)),
    ledger: entries.filter(({ at }) => Date.parse(at) >= begun - lookBackMs),
    alarms: ground.alarms.filter(({ at }) => at >= from),
    ...{ reconcile: said.reconcile, audit: said.audit, commandProblems: said.problems },
  };
  const judged = judge(evidence, scenario);
  return { ...judged, problems: [...judged.problems, ...fixture.deaths] };
}

/** Waits until nothing is in progress. */
async function settled({ fixture }: Ground): Promise<void> {
  const deadline = Date.now() + restMs;
  while (Date.now() < deadline) {
    const { rows } = await fixture.owner.query<{ open: number }>(
      `select count(*)::int as open from payment_operations
       where state not in ('succeeded', 'failed')`,
    );
    if (rows[0]?.open === 0) return;
    await pause(500);
  }
}

process.stdin.on('end', () => process.exit()).resume();

const say = (said: object) => process.stdout.write(`${JSON.stringify(said)}\n`);

const scene = scenes[sceneName];
if (!scene) throw new Error(`no scene ${sceneName}: ${Object.keys(scenes).join('; ')}`);
const ground = await openGround(folder, scene.plan);
for (const scenario of scene.scenarios.filter(({ name }) => name.includes(words))) {
  const startedAt = performance.now();
  const name = `${sceneName}: ${scenario.name}`;
  try {
    say({ name, ...(await runScenario(ground, scenario)) });
  } catch (error) {
    const { stack, cause } = error as Error;
    say({ name, problems: [`${stack ?? error} ${cause ?? ''}`] });
    break;
  }
  process.stderr.write(`${name}: ${Math.round((performance.now() - startedAt) / 1000)} s\n`);
}
process.exit();
