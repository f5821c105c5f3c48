// Subscriptions for tests: inserted, or bought and renewed while the clock moves.

import type { Line } from '../../src/domain/payments/line.ts';
import type { Subscription } from '../../src/domain/payments/subscription.ts';
import { Refusal } from '../../src/domain/protocol/refusal.ts';
import { refuse } from '../../src/engine/implement.ts';
import { renewDue } from '../../src/engine/runs/subscriptions/renew-due.ts';
import { operations } from '../../src/operations/index.ts';
import { sql } from '../../src/storage/database/sql.ts';
import { findSubscription } from '../../src/storage/subscriptions/subscriptions.ts';
import { callerOf, newId } from '../harness.ts';
import { advance } from '../payments/planted.ts';
import { type Checkout, pay, type World } from '../world.ts';
import { vouchedSession } from './saved-cards.ts';

const startedAt = new Date('2026-01-01T10:30:00.000Z');
const dueAt = new Date('2026-02-01T10:30:00.000Z');

export const aSubscription = (given: Partial<Subscription> = {}): Subscription => ({
  id: newId(),
  clientId: newId(),
  userId: newId(),
  externalId: null,
  sessionId: newId(),
  productCode: 'club',
  productName: 'Club',
  quantity: 1,
  amountMinor: 2400,
  currency: 'EUR',
  interval: 'month',
  provider: 'cardprovider',
  gatewayId: newId(),
  paymentMethodId: newId(),
  isLive: false,
  metadata: {},
  status: 'active',
  anchoredAt: startedAt,
  periods: 1,
  currentPeriodEnd: dueAt,
  tries: 0,
  nextRenewalAt: dueAt,
  renewalPaymentId: null,
  endReason: null,
  canceledAt: null,
  cancelReason: null,
  eventSeq: 1,
  version: 0,
  createdAt: startedAt,
  updatedAt: startedAt,
  ...given,
});

/** A line of a cart that starts a subscription. */
export const aLine = (given: Partial<Line> = {}): Line => ({
  code: 'club',
  name: 'Club',
  kind: 'subscription',
  interval: 'month',
  quantity: 1,
  unitMinor: 2400,
  overrideMinor: null,
  discountMinor: 0,
  ...given,
});

export type Club = {
  readonly id: string;
  readonly userId: string;
  readonly session: Checkout;
  /** The payment that bought the subscription. */
  readonly paymentId: string;
  readonly methodId: string;
};

const started = sql<{ id: string; payment_method_id: string }>(
  'test_subscriptions_of_session',
  'select id, payment_method_id from subscriptions where session_id = $1 order by product_code',
);

/** Returns the subscriptions that the session started, in the order of their products. */
export const subscriptionsOfSession = (world: World, session: Checkout) =>
  world.database.read(started, [session.sessionId]);

/** Buys a month of the club, for a buyer for whom the merchant vouches. */
export async function aClub(
  world: World,
  given: { userId?: string; metadata?: Record<string, string> } = {},
): Promise<Club> {
  const products = [{ code: 'club', quantity: 1 }];
  const session = await vouchedSession(world, { ...given, products });
  const answer = await pay(world, session);
  if (!('body' in answer)) throw new Error('process has a body');
  const [found] = await subscriptionsOfSession(world, session);
  if (!found) throw new Error('nothing was started');
  const paymentId = answer.body.paymentId ?? '';
  const { id, payment_method_id: methodId } = found;
  return { id, userId: session.userId, session, paymentId, methodId };
}

export async function subscriptionOf(world: World, id: string): Promise<Subscription> {
  const found = await findSubscription(world.database, world.client.id, id);
  if (!found) throw new Error(`no subscription ${id}`);
  return found;
}

const moveTo = sql(
  'test_move_subscription',
  'update subscriptions set payment_method_id = $2 where id = $1',
);

/** Funds the subscription with another method of its customer, as a detachment does. */
export const fundWith = (world: World, id: string, methodId: string) =>
  world.database.write(moveTo, [id, methodId]);

const clock = sql<{ now: Date }>('test_now', 'select svc_clock() as now');

export async function nowOf(world: World): Promise<Date> {
  const [row] = await world.database.read(clock, []);
  if (!row) throw new Error('there is always a time');
  return row.now;
}

/** Moves the clocks of sandbox and service to the next try. */
export async function advanceToRenewal(world: World, id: string): Promise<void> {
  const { nextRenewalAt } = await subscriptionOf(world, id);
  if (!nextRenewalAt) throw new Error('it is not renewed any more');
  const waitMs = nextRenewalAt.getTime() - (await nowOf(world)).getTime();
  await advance(world, Math.max(0, Math.ceil(waitMs / 1000)));
}

/** Runs one pass of the worker. */
export const renewAll = (world: World, ports = world.ports): Promise<number> =>
  renewDue(ports, {
    limit: 50,
    onError: (_, error) => {
      throw error;
    },
  });

const renewals = sql<{
  id: string;
  status: string;
  provider_intent_id: string | null;
  created_at: Date;
}>(
  'test_renewals',
  `select p.id, p.status, p.provider_intent_id, p.created_at
   from payment_method_uses u join payments p on p.id = u.payment_id
   where u.subscription_id = $1 order by p.created_at, p.id`,
);

/** Returns the payments of the subscription's renewals, the oldest first. */
export const renewalsOf = (world: World, id: string) => world.database.read(renewals, [id]);

const running = sql<{ id: string }>(
  'test_running_subscriptions',
  `select id from subscriptions where client_id = $1 and status <> 'canceled'`,
);

export const cancelClub = (world: World, subscriptionId: string, caller = callerOf(world.token)) =>
  operations.cancelSubscription({ subscriptionId, body: {} }, caller, world.ports, refuse);

/** Has the subscription end with its period. */
export const planEnd = (world: World, subscriptionId: string) =>
  operations.cancelSubscription(
    { subscriptionId, body: { at: 'period_end' } },
    callerOf(world.token),
    world.ports,
    refuse,
  );

/** Takes that back, where it has not come. */
export const resumeClub = (world: World, subscriptionId: string) =>
  operations
    .resumeSubscription({ subscriptionId }, callerOf(world.token), world.ports, refuse)
    .catch((cause: unknown) => {
      if (!(cause instanceof Refusal && cause.code === 'subscription_ended')) throw cause;
    });

/** Ends every active subscription, so that a later test renews only its own. */
export async function endAll(world: World): Promise<void> {
  for (const { id } of await world.database.read(running, [world.client.id])) {
    await cancelClub(world, id);
  }
}
