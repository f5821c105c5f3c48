// Seeded interleavings of a checkout on real PostgreSQL and the sandbox provider: shell, claims,
// process, vault charge, wallet, intent, decline, expiry, lost leases, notices, challenges; with lost
// answers, lost commits and dead processes. The same seed gives the same schedule.

import { refuse } from '../../service/src/engine/implement.ts';
import { operations } from '../../service/src/operations/index.ts';
import { newId } from '../../service/test/harness.ts';
import { seeded } from '../kit/random.ts';
import {
  describeError,
  runSeeds,
  type SeedFixture,
  type SeedReport,
  type SeedRun,
  seedsFrom,
} from '../kit/run-seeds.ts';
import { gatePorts, Turns, takeTimers } from '../kit/turns.ts';
import { countEvent, type Session, type Stage, spawnActors } from './actors.ts';
import { check, finishOpenWork } from './check.ts';
import { forgetNotices, type Lane, openLane, walletCountry, watchedPorts } from './lane.ts';
import { drawPlan, type Plan } from './plan.ts';
import { unreliablePorts, type WireFault } from './unreliable-ports.ts';
import { spawnWallet } from './wallet-actors.ts';

export type Interleavings = {
  readonly count: number;
  /** The seed of the first interleaving; each next one is higher by one. */
  readonly seed: number;
  onProgress?(done: number): void;
  /** The number of interleavings that run in parallel, each on its own database. */
  readonly lanes?: number;
};

export async function runInterleavings(options: Interleavings): Promise<SeedReport> {
  const { count: wanted, seed, lanes = 3, onProgress } = options;
  return runSeeds(openInterleavings, {
    ...{ seeds: seedsFrom(seed, wanted), lanes },
    ...(onProgress && { onProgress }),
  });
}

/** Opens a fixture that runs one interleaving after the other. */
export async function openInterleavings(): Promise<SeedFixture> {
  const lane = await openLane();
  const timers = takeTimers();
  return {
    run: (seed) => runOne(lane, seed),
    async close() {
      timers.restore();
      await lane.close();
    },
  };
}

async function runOne(lane: Lane, seed: number): Promise<SeedRun> {
  const sometimes = new Map<string, number>();
  const { world, walletGatewayId } = lane;
  await forgetNotices(lane);
  const random = seeded(seed);
  const plan = drawPlan(random, `seed-${seed}`);
  const violations: string[] = [];
  const turns = new Turns(random);
  const watched = watchedPorts(world, plan.cards, (text) => violations.push(text));
  const onTrouble = (what: string) => countEvent({ sometimes }, what);
  const arm = (action: WireFault | null) =>
    action === null
      ? world.control('DELETE', '/_control/faults')
      : world.fault({ path: '/v' }, action, { count: 1 });
  const chance = seeded(seed ^ 0x5eed);
  const troubled = unreliablePorts(watched, chance, { ...plan.troubles, onTrouble, arm });
  const ports = gatePorts(troubled, turns);
  const session = await create(world, plan);
  const stage: Stage = {
    world,
    walletGatewayId,
    ports,
    turns,
    session,
    plan,
    told: [],
    approved: [],
    shown: new Map(),
    sometimes,
  };
  spawnActors(stage);
  spawnWallet(stage);
  await turns.run();
  if (turns.dead) countEvent(stage, 'a process died');
  violations.push(...turns.failures.map((error) => `an actor threw ${describeError(error)}`));
  await finishOpenWork(stage);
  violations.push(...(await check(stage)));
  return { trace: turns.trace, violations, sometimes: Object.fromEntries(sometimes) };
}

async function create(world: Lane['world'], plan: Plan): Promise<Session> {
  const userId = newId();
  const whole = {
    captureMethod: plan.captureMethod,
    products: [{ code: 'mug', quantity: 1 }],
    accountData: { userId, email: 'buyer@example.test' },
  };
  const answer = await operations.createCheckoutSession(
    {
      body: {
        clientId: world.client.id,
        currency: 'EUR',
        ...(plan.wallet ? { account: { country: walletCountry } } : {}),
        ...(plan.isShell ? { deferDataAttachment: true } : whole),
      },
    },
    { kind: 'anonymous', requestId: 'req_proof', origin: null },
    world.ports,
    refuse,
  );
  const { id, nonce } = (answer as { body: { id: string; nonce: string } }).body;
  return { id, nonce, userId };
}
