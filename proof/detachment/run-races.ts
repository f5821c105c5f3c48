// Seeded races of detachments with payments, renewals, set-ups, changed defaults and each other, on real
// PostgreSQL and the sandbox provider. The same seed gives the same schedule. Reliability P5.

import type { PaymentMethod } from '../../service/src/domain/payments/payment-method.ts';
import { sql } from '../../service/src/storage/database/sql.ts';
import {
  aProviderCard,
  aSavedCard,
  vouchedSession,
} from '../../service/test/customers/saved-cards.ts';
import { aSetupSession } from '../../service/test/customers/setups.ts';
import { aCustomer } from '../../service/test/harness.ts';
import { type Checkout, cards as numbers, type World } from '../../service/test/world.ts';
import { CardVault } from '../kit/card-vault.ts';
import { type ActorFixture, openActorFixture } from '../kit/fixture.ts';
import { gatePorts } from '../kit/gate-ports.ts';
import { seeded } from '../kit/random.ts';
import { describeError, openCounters, type SeedFixture, type SeedRun } from '../kit/run-seeds.ts';
import { Scheduler } from '../kit/scheduler.ts';
import { type Race, racersOf, watchPorts } from './race-actors.ts';
import { checkRace, finishOpenWork, judgeDetach } from './race-check.ts';
import { drawRace, type RacePlan } from './race-plan.ts';
import { addSubscription } from './uses.ts';

/** Opens a fixture for one race after the other. */
export async function openRaces(): Promise<SeedFixture> {
  const fixture = await openActorFixture();
  return { run: (seed) => runRace(fixture, seed), close: fixture.close };
}

async function runRace({ world, account }: ActorFixture, seed: number): Promise<SeedRun> {
  const random = seeded(seed);
  const plan = drawRace(random);
  const violations: string[] = [];
  const { sometimes, count } = openCounters();
  const customer = await createCustomer(world, plan, `seed-${seed}`);
  const scheduler = new Scheduler(random);
  const vault = { ...world.ports.vault, ...customer.vault };
  const onDetach = (id: string) => judgeDetach(world, id, violations);
  const watch = { onDetach, losesDetach: plan.losesDetach };
  const ports = gatePorts(watchPorts({ ...world.ports, vault }, watch), scheduler);
  const seen = { told: [], violations, count };
  const race: Race = { world, account, ports, scheduler, plan, ...customer, ...seen };
  violations.push(...(await scheduler.play(racersOf(race))));
  try {
    await finishOpenWork(race);
    await checkRace(race);
  } catch (error) {
    violations.push(`a worker threw ${describeError(error)}`);
  }
  return { trace: scheduler.trace, violations, sometimes };
}

async function createCustomer(world: World, plan: RacePlan, name: string) {
  const { id: userId } = await aCustomer(world.database, world.client, {
    email: 'buyer@example.test',
  });
  const cards: PaymentMethod[] = [];
  for (let n = 0; n < plan.cards; n++) cards.push(await aSavedCard(world, { userId }));
  const sessions: Checkout[] = [];
  for (const _ of plan.payments) sessions.push(await vouchedSession(world, { userId }));
  const cardAt = (index: number | null) => (index === null ? undefined : cards[index]);
  const [renewed, funded] = [cardAt(plan.renewal), cardAt(plan.funds)];
  if (renewed) await addSubscription(world.database, renewed, { status: 'active', renews: 'now' });
  if (funded)
    await addSubscription(world.database, funded, { status: 'active', renews: 'in a month' });
  const vault = new CardVault();
  if (!plan.setup) return { userId, cards, sessions, setup: null, vault };
  const session = await aSetupSession(world, { userId });
  const token = `${name}-card`;
  const number = numbers[plan.setup];
  vault.keep(token, await aProviderCard(world, number), number);
  const [row] = await world.database.read(ofSession, [session.sessionId]);
  const setup = { session, token, methodId: row?.id ?? '' };
  return { userId, cards, sessions, setup, vault };
}

const ofSession = sql<{ id: string }>(
  'proof_race_of_session',
  'select id from payment_methods where session_id = $1',
);
