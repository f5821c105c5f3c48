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
import { aCustomer, newId } from '../../service/test/harness.ts';
import {
  type Checkout,
  cards as numbers,
  startWorld,
  type World,
} from '../../service/test/world.ts';
import { seeded } from '../kit/random.ts';
import {
  addCounts,
  describeError,
  runSeeds,
  type SeedFixture,
  type SeedReport,
  type SeedRun,
} from '../kit/run-seeds.ts';
import { Turns, takeTimers } from '../kit/turns.ts';
import { gateRace, type Race, racePorts, spawnRacers } from './race-actors.ts';
import { checkRace, finishOpenWork, judgeDetach } from './race-check.ts';
import { drawRace, type RacePlan } from './race-plan.ts';
import { type Detachments, seedOptions } from './run-detachments.ts';

export async function runRaces(options: Detachments): Promise<SeedReport> {
  return runSeeds(openRaces, seedOptions(options));
}

/** Opens a fixture for one race after the other. */
export async function openRaces(): Promise<SeedFixture> {
  const world = await startWorld();
  const timers = takeTimers();
  return {
    run: (seed) => runRace(world, seed),
    async close() {
      timers.restore();
      await world.close();
    },
  };
}

async function runRace(world: World, seed: number): Promise<SeedRun> {
  const random = seeded(seed);
  const plan = drawRace(random);
  const violations: string[] = [];
  const sometimes: Record<string, number> = {};
  const count = (what: string) => addCounts(sometimes, { [what]: 1 });
  const fixture = await createFixture(world, plan, `seed-${seed}`);
  const turns = new Turns(random);
  const watched = racePorts(world, fixture.tokens);
  const ports = gateRace(watched, turns, {
    onDetach: (id) => judgeDetach(world, id, violations),
    losesDetach: plan.losesDetach,
  });
  const race: Race = { world, ports, turns, plan, ...fixture, told: [], violations, count };
  spawnRacers(race);
  await turns.run();
  violations.push(...turns.failures.map((error) => `an actor threw ${describeError(error)}`));
  try {
    await finishOpenWork(race);
    await checkRace(race);
  } catch (error) {
    violations.push(`a worker threw ${describeError(error)}`);
  }
  return { trace: turns.trace, violations, sometimes };
}

async function createFixture(world: World, plan: RacePlan, name: string) {
  const { id: userId } = await aCustomer(world.database, world.client, {
    email: 'buyer@example.test',
  });
  const cards: PaymentMethod[] = [];
  for (let n = 0; n < plan.cards; n++) cards.push(await aSavedCard(world, { userId }));
  const sessions: Checkout[] = [];
  for (const _ of plan.payments) sessions.push(await vouchedSession(world, { userId }));
  const cardAt = (index: number | null) => (index === null ? undefined : cards[index]);
  const [renewed, funded] = [cardAt(plan.renewal), cardAt(plan.funds)];
  if (renewed) await aSubscription(world, renewed, true);
  if (funded) await aSubscription(world, funded, false);
  const tokens = new Map<string, string>();
  if (!plan.setup) return { userId, cards, sessions, setup: null, tokens };
  const session = await aSetupSession(world, { userId });
  const token = `${name}-card`;
  tokens.set(token, await aProviderCard(world, numbers[plan.setup]));
  const [row] = await world.database.read(ofSession, [session.sessionId]);
  const setup = { session, token, methodId: row?.id ?? '' };
  return { userId, cards, sessions, setup, tokens };
}

const ofSession = sql<{ id: string }>(
  'proof_race_of_session',
  'select id from payment_methods where session_id = $1',
);

const insertSubscription = sql(
  'proof_race_subscription',
  `insert into subscriptions (id, client_id, user_id, session_id, product_code, product_name,
     quantity, amount_minor, currency, interval_unit, provider, gateway_id, is_live, created_at,
     anchored_at, payment_method_id, status, current_period_end, next_renewal_at, updated_at)
   values ($1, $2, $3, $4, 'club', 'Club', 1, 2400, 'EUR', 'month', 'cardprovider', $5, false,
     svc_clock(), svc_clock(), $6, 'active', svc_clock() + case when $7 then interval '0'
       else interval '1 month' end, svc_clock() + case when $7 then interval '0'
       else interval '1 month' end, svc_clock())`,
);

const aSubscription = (world: World, method: PaymentMethod, isDue: boolean) =>
  world.database.write(insertSubscription, [
    newId(),
    method.clientId,
    method.userId,
    newId(),
    method.gatewayId,
    method.id,
    isDue,
  ]);
