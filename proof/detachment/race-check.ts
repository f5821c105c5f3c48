// Checks one race after everything is settled: compares rows, provider and responses. Reliability P1,
// P2, P4, P5.

import { settleSetups } from '../../service/src/engine/runs/card-setups/settle-setups.ts';
import { finishDetachments } from '../../service/src/engine/runs/payment-methods/finish-detachments.ts';
import { settleInDoubt } from '../../service/src/engine/runs/payments/settle-in-doubt.ts';
import { sql } from '../../service/src/storage/database/sql.ts';
import type { World } from '../../service/test/world.ts';
import { rethrow } from '../kit/operations.ts';
import { loseLeases, type Race } from './race-actors.ts';
import { dependingOn } from './uses.ts';

const hurrySetups = sql(
  'proof_race_hurry_setups',
  `update card_setups set lease_until = null, next_check_at = svc_clock()
   where state in ('active', 'in_doubt')`,
);

/** Runs the workers until no work is open. */
export async function finishOpenWork({ world }: Race): Promise<void> {
  for (let pass = 0; pass < 3; pass++) {
    await loseLeases(world);
    await world.database.write(hurrySetups, []);
    await settleInDoubt(world.ports, { limit: 50, onError: rethrow });
    await settleSetups(world.ports, { limit: 50, onError: rethrow });
    await finishDetachments(world.ports, { limit: 50, onError: rethrow });
  }
}

const findByProvider = sql<{ user_id: string }>(
  'proof_race_by_provider',
  'select user_id from payment_methods where provider_payment_method_id = $1',
);

/** P2, P5: when the provider is asked to detach a card, nothing depends on the card. */
export async function judgeDetach(
  world: World,
  providerId: string,
  violations: string[],
): Promise<void> {
  const [method] = await world.database.read(findByProvider, [providerId]);
  if (!method) return;
  const found = await dependingOn(world.database, method.user_id, providerId);
  for (const each of found) violations.push(`P5: detached under a ${each}`);
}

type Row = {
  id: string;
  status: string;
  state: string | null;
  provider_payment_method_id: string | null;
};
const findMethods = sql<Row>(
  'proof_race_methods',
  `select m.id, m.status, r.state, m.provider_payment_method_id from payment_methods m
   left join payment_method_detachments r on r.payment_method_id = m.id where m.user_id = $1`,
);
const findEvents = sql<{ type: string; sequence: number }>(
  'proof_race_events',
  'select type, sequence from events where resource_id = $1 order by sequence',
);

const findRenewals = sql<{ status: string }>(
  'proof_race_renewals',
  `select p.status from payment_method_uses u join payments p on p.id = u.payment_id
   join subscriptions s on s.id = u.subscription_id where s.user_id = $1`,
);

export async function checkRace(race: Race): Promise<void> {
  const { world, account, userId, violations, cards, setup } = race;
  for (const { status } of await world.database.read(findRenewals, [userId])) {
    race.count(`a renewal has ${status}`);
  }
  const methods = await world.database.read(findMethods, [userId]);
  for (const row of methods) {
    const found = await dependingOn(world.database, userId, row.id);
    if (row.status !== 'active') {
      for (const each of found) violations.push(`P2: a ${each} on a ${row.status} card`);
    }
    if (row.state === 'running') violations.push('R1: a detachment does not end');
    const events = await world.database.read(findEvents, [row.id]);
    if (events.some(({ sequence }, index) => sequence !== index + 1)) {
      violations.push('E1: events are not numbered from 1 without a gap');
    }
    const deleted = events.filter(({ type }) => type === 'payment_method.deleted').length;
    const wasActive = events.some(({ type }) => type === 'payment_method.activated');
    if (deleted !== (row.status === 'removed' && wasActive ? 1 : 0)) {
      violations.push(`E1: ${row.status}, and told ${deleted} times`);
    }
    if (row.status === 'active' && !wasActive) violations.push('P1: active without its event');
  }
  for (const { id, providerPaymentMethodId } of cards) {
    const path = `/v1/payment_methods/${providerPaymentMethodId}`;
    const { customer } = await account.get(path);
    const status = methods.find((row) => row.id === id)?.status;
    if ((status === 'removed') !== (customer === null)) {
      violations.push(`P2: ${status}, and the provider keeps it for ${String(customer)}`);
    }
  }
  if (setup) checkSetup(race, methods);
  checkTold(race, methods);
}

/**
 * P1: a method that the provider verified is active, or was removed afterwards; no other method is
 * active.
 */
function checkSetup({ told, setup, violations }: Race, methods: readonly Row[]): void {
  const row = methods.find(({ id }) => id === setup?.methodId);
  const isSaved = told.some(({ actor, answer }) => actor === 'setup' && answer === '200 success');
  if (isSaved && row?.status === 'pending') violations.push('P1: verified, and still pending');
  if (!isSaved && row?.status === 'active') violations.push('P1: active, and nobody was told');
}

/** P4: a method whose detachment returned 204 is removed. */
function checkTold({ told, plan, cards, setup, violations }: Race, methods: readonly Row[]): void {
  for (const { actor, answer } of told) {
    if (!actor.startsWith('remove') || answer !== '204') continue;
    const index = plan.detachments[Number(actor.replace('remove ', ''))];
    const id = actor === 'remove pending' ? setup?.methodId : cards[index ?? 0]?.id;
    const status = methods.find((row) => row.id === id)?.status;
    if (status !== 'removed') violations.push(`P4: ${actor} was told 204, and it is ${status}`);
  }
}
