// Seeded interleavings of a checkout on real PostgreSQL and the sandbox provider: shell, claims,
// process, vault charge, wallet, intent, decline, expiry, lost leases, notices, challenges; with lost
// answers, lost commits and dead processes. The same seed gives the same schedule.

import { newId } from '../../service/test/harness.ts';
import { gatePorts } from '../kit/gate-ports.ts';
import { type BuyerSession, createSession } from '../kit/operations.ts';
import { seeded } from '../kit/random.ts';
import { openCounters, type SeedFixture, type SeedRun } from '../kit/run-seeds.ts';
import { type ActorPlan, Scheduler } from '../kit/scheduler.ts';
import { buyerActors, type Checkout } from './actors.ts';
import { check, finishOpenWork } from './check.ts';
import {
  type Fixture,
  forgetNotices,
  openFixture,
  walletCountry,
  watchedPorts,
} from './fixture.ts';
import { drawPlan, type Plan } from './plan.ts';
import { unreliablePorts, type WireFault } from './unreliable-ports.ts';
import { walletActors } from './wallet-actors.ts';

/** Opens a fixture that runs one interleaving after the other. */
export async function openInterleavings(): Promise<SeedFixture> {
  const fixture = await openFixture();
  return { run: (seed) => runOne(fixture, seed), close: fixture.close };
}

async function runOne(fixture: Fixture, seed: number): Promise<SeedRun> {
  const { sometimes, count } = openCounters();
  const { world } = fixture;
  await forgetNotices(fixture);
  const random = seeded(seed);
  const plan = drawPlan(random, `seed-${seed}`);
  const violations: string[] = [];
  const scheduler = new Scheduler(random);
  const watched = await watchedPorts(fixture, plan.cards, (text) => violations.push(text));
  const arm = (action: WireFault | null) =>
    action === null
      ? world.control('DELETE', '/_control/faults')
      : world.fault({ path: '/v' }, action, { count: 1 });
  const chance = seeded(seed ^ 0x5eed);
  const troubled = unreliablePorts(watched, chance, { ...plan.troubles, onTrouble: count, arm });
  const ports = gatePorts(troubled, scheduler);
  const session = await createPlanned(world, plan);
  const seen = { told: [], approved: [], shown: new Map() };
  const checkout: Checkout = { ...fixture, ports, scheduler, session, plan, count, ...seen };
  violations.push(...(await scheduler.play(actorsOf(checkout))));
  if (scheduler.hasCrashed) count('a process died');
  await finishOpenWork(checkout);
  violations.push(...(await check(checkout)));
  return { trace: scheduler.trace, violations, sometimes };
}

/** The actors of the plan, one of whose processes may die. */
const actorsOf = (checkout: Checkout): ActorPlan[] =>
  [...buyerActors(checkout), ...walletActors(checkout)].map((actor, number) => {
    const { death } = checkout.plan;
    return death?.actor === number ? { ...actor, diesAtGate: death.gate } : actor;
  });

const createPlanned = (world: Fixture['world'], plan: Plan): Promise<BuyerSession> => {
  const products = [{ code: 'mug', quantity: 1 }];
  return createSession(world.ports, newId(), {
    ...{ clientId: world.client.id, currency: 'EUR' },
    ...(plan.wallet ? { account: { country: walletCountry } } : {}),
    ...(plan.isShell
      ? { deferDataAttachment: true }
      : { captureMethod: plan.captureMethod, products }),
  });
};
