// Disputes in tests of money: the sandbox's controls, and its notices delivered by the test, which
// decides which ones come, how often and in which order.

import { createHmac } from 'node:crypto';
import type { Dispute } from '@svc/contract/payments/disputes';
import { refuse } from '../../src/engine/implement.ts';
import { readNotices } from '../../src/engine/runs/notices/read-notices.ts';
import { receiveNotice } from '../../src/engine/runs/notices/receive-notice.ts';
import { operations } from '../../src/operations/index.ts';
import { sql } from '../../src/storage/database/sql.ts';
import { findPayment } from '../../src/storage/payments/payments.ts';
import { callerOf } from '../harness.ts';
import { aSession, cards, pay, type World } from '../world.ts';
import { makeNoticesDue } from './notices.ts';

/** A paid purchase of one mug, 19.90 EUR. */
export async function aPurchase(
  world: World,
  number: string = cards.approved,
  given: Parameters<typeof aSession>[1] = {},
): Promise<{ paymentId: string; intent: string }> {
  const session = await aSession(world, { captureMethod: 'automatic', ...given });
  const answer = await pay(world, session, number);
  const { paymentId } = (answer as { body: { paymentId: string } }).body;
  const payment = await findPayment(world.database, world.client.id, paymentId);
  return { paymentId, intent: payment?.providerIntentId ?? '' };
}

/** Opens a dispute at the provider, without a notice to the service. */
export async function dispute(world: World, intent: string, more: object = {}): Promise<string> {
  const opened = await world.control('POST', '/_control/disputes', { intent, ...more });
  return (opened as { id: string }).id;
}

export const step = (world: World, id: string, name: string, body: object = {}): Promise<unknown> =>
  world.control('POST', `/_control/disputes/${id}/${name}`, body);

export type ProviderEvent = { id: string; type: string; data: { object: { id: string } } };

/** Returns the provider's events about the dispute, the oldest first. */
export async function eventsOf(world: World, disputeId: string): Promise<ProviderEvent[]> {
  const headers = { authorization: `Bearer ${world.account.secretKey}` };
  const found: ProviderEvent[] = [];
  for (let after = ''; ; after = `&starting_after=${found.at(-1)?.id}`) {
    const url = `${world.sandbox.url}/v1/events?limit=100${after}`;
    const listed = (await (await fetch(url, { headers })).json()) as {
      data: ProviderEvent[];
      has_more: boolean;
    };
    found.push(...listed.data);
    if (!listed.has_more) break;
  }
  return found.filter((event) => event.data.object.id === disputeId).reverse();
}

/** Signs an event as the provider does, and delivers it. */
export async function deliver(world: World, event: object): Promise<string> {
  const rawBody = Buffer.from(JSON.stringify(event));
  const time = Math.floor(Date.now() / 1000);
  const mac = createHmac('sha256', world.noticeSecret).update(`${time}.`).update(rawBody);
  const headers = { 'stripe-signature': `t=${time},v1=${mac.digest('hex')}` };
  return receiveNotice({ gatewayId: world.gatewayId, rawBody, headers }, world.ports);
}

/** Reads every notice once, whether or not it is due. */
export async function readAll(world: World, workers = 1): Promise<void> {
  await world.database.write(makeNoticesDue, []);
  const read = () =>
    readNotices(world.ports, {
      limit: 200,
      onError: (_, error) => {
        throw error;
      },
    });
  await Promise.all(Array.from({ length: workers }, read));
}

/** Delivers all events of the provider about the dispute, and reads them. */
export async function deliverDisputeEvents(world: World, disputeId: string): Promise<void> {
  for (const event of await eventsOf(world, disputeId)) await deliver(world, event);
  await readAll(world);
}

const findOutcomes = sql<{ notice_id: string; outcome: string | null }>(
  'test_notice_outcomes',
  `select notice_id, outcome from provider_inbox where gateway_id = $1`,
);

/** Returns the outcome of each notice; null for those that are waiting. */
export async function outcomes(world: World): Promise<Map<string, string | null>> {
  const rows = await world.database.read(findOutcomes, [world.gatewayId]);
  return new Map(rows.map((row) => [row.notice_id, row.outcome]));
}

export type ChargebackRow = {
  readonly id: string;
  readonly amount_minor: string;
  readonly status: string;
  readonly gateway_charge_id: string;
  readonly financial_effective_at: Date;
  readonly provider_movement_id: string;
  readonly provider_dispute_id: string;
};

const findChargebacks = sql<ChargebackRow>(
  'test_chargebacks',
  `select id, amount_minor, status, gateway_charge_id, financial_effective_at,
     provider_movement_id, metadata->>'providerDisputeId' as provider_dispute_id
   from payments where parent_payment_id = $1 and type = 'chargeback' order by id`,
);

export const chargebacksOf = (world: World, paymentId: string): Promise<ChargebackRow[]> =>
  world.database.read(findChargebacks, [paymentId]);

const findTypes = sql<{ type: string }>(
  'test_dispute_events',
  'select type from events where resource_id = $1 order by sequence',
);

/** Types of a resource's events, in order. */
export const typesOf = async (world: World, id: string): Promise<string[]> =>
  (await world.database.read(findTypes, [id])).map(({ type }) => type);

/** The one dispute of the payment, as a merchant lists it. */
export async function disputeOf(world: World, paymentId: string): Promise<Dispute> {
  const query = { page: 1, limit: 20, sortField: 'createdAt', sortDirection: 'DESC' } as const;
  const filters = [{ field: 'paymentId', op: 'eq', values: [paymentId] }] as const;
  const answer = await operations.listDisputes(
    { ...query, filters },
    callerOf(world.token),
    world.ports,
    refuse,
  );
  if (!('body' in answer)) throw new Error('a list has a body');
  const [found] = answer.body.data;
  if (!found || answer.body.total !== 1) throw new Error(`${answer.body.total} disputes`);
  return found;
}
