// A database with payments in every state, and rows that are changed without the service: as
// superuser, with triggers and foreign keys disabled.

import { randomUUID } from 'node:crypto';
import { testCluster } from '@svc/tools/test-database/index';
import pg from 'pg';
import { refuse } from '../../src/engine/implement.ts';
import { closePaymentDays } from '../../src/engine/runs/payments/close-payment-days.ts';
import { expireHolds } from '../../src/engine/runs/payments/expire-holds.ts';
import { operations } from '../../src/operations/index.ts';
import { callerOf, moveClock } from '../harness.ts';
import { aHold, aSession, cards, moveHold, pay, type World } from '../world.ts';
import { aPurchase as aBought, deliverDisputeEvents, dispute, step } from './disputes.ts';

export type PlantStatement = (text: string, values?: readonly unknown[]) => Promise<void>;

/** Runs `work` with statements that no trigger, constraint trigger or foreign key sees. */
export async function plantInDatabase(
  ownerUrl: string,
  work: (plant: PlantStatement) => Promise<void>,
) {
  const name = decodeURIComponent(new URL(ownerUrl.replace(/@\//, '@socket/')).pathname.slice(1));
  const cluster = await testCluster();
  const client = new pg.Client({ connectionString: cluster.url('postgres', name) });
  await client.connect();
  try {
    await client.query('set session_replication_role = replica');
    await work(async (text, values = []) => void (await client.query(text, values as unknown[])));
  } finally {
    await client.end();
  }
}

const throwError = (_: unknown, error: unknown): never => {
  throw error;
};

export async function aPurchase(
  world: World,
  given: { readonly currency?: string } = {},
): Promise<string> {
  const session = await aSession(world, { captureMethod: 'automatic', ...given });
  const answer = await pay(world, session);
  return (answer as { body: { paymentId: string } }).body.paymentId;
}

export async function aRefund(
  world: Pick<World, 'token' | 'ports'>,
  paymentId: string,
  amount?: number,
): Promise<string> {
  const digest = Buffer.alloc(32, `${amount ?? ''}${paymentId}`);
  const answer = await operations.createRefund(
    {
      paymentId,
      body: amount === undefined ? {} : { amount },
      idempotencyKey: randomUUID(),
      rawSha256: digest,
      canonSha256: digest,
    },
    callerOf(world.token),
    world.ports,
    refuse,
  );
  const shown = 'replay' in answer ? JSON.parse(answer.replay) : answer.body;
  return (shown as { id: string }).id;
}

/** Moves the clock that sandbox and service share. */
export async function advance(world: World, seconds: number): Promise<void> {
  await world.control('POST', '/_control/clock/advance', { seconds });
  await moveClock(world.database, seconds * 1000);
}

/** Closes the days that have ended. */
export const closeDays = (world: World): Promise<number> =>
  closePaymentDays(world, { limit: 50, onError: throwError });

/**
 * Creates one payment of each kind: expired, declined, captured, canceled, bought, refunded,
 * disputed.
 */
export async function everyState(world: World) {
  const expired = (await aHold(world)).paymentId;
  await advance(world, 7 * 86_400 + 1);
  await expireHolds(world.ports, { limit: 50, onError: throwError });
  const captured = (await aHold(world)).paymentId;
  await moveHold(world, 'capturePayment', { paymentId: captured, key: randomUUID() });
  const canceled = (await aHold(world)).paymentId;
  await moveHold(world, 'cancelPayment', { paymentId: canceled, key: randomUUID() });
  const declined = await aSession(world);
  await pay(world, declined, cards.declined).catch(() => undefined);
  const bought = await aPurchase(world);
  const refunded = await aPurchase(world);
  const refund = await aRefund(world, refunded);
  const partly = await aPurchase(world);
  const part = await aRefund(world, partly, 5.5);
  const disputed = await aBought(world);
  for (const outcome of ['won', 'lost']) {
    const id = await dispute(world, disputed.intent, { amount: 900 });
    await deliverDisputeEvents(world, id);
    await step(world, id, 'close', { outcome });
    await deliverDisputeEvents(world, id);
  }
  const hold = (await aHold(world)).paymentId;
  return {
    ...{ expired, captured, canceled, bought, refunded, refund, partly, part, hold },
    disputed: disputed.paymentId,
  };
}
