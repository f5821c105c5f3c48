// Who answers a dispute: the merchant, or the provider by itself. Contract §2.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callerOf } from '../../../../test/harness.ts';
import {
  aPurchase,
  deliverDisputeEvents,
  dispute,
  disputeOf,
  step,
  typesOf,
} from '../../../../test/payments/disputes.ts';
import { cards, startWorld, type World } from '../../../../test/world.ts';
import { operations } from '../../../operations/index.ts';
import { sql } from '../../../storage/database/sql.ts';
import { findTimedFacts } from '../../../storage/notifications/facts.ts';
import { refuse } from '../../implement.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

async function openedDispute(more: object = {}) {
  const { paymentId, intent } = await aPurchase(world);
  const id = await dispute(world, intent, more);
  await deliverDisputeEvents(world, id);
  const shown = await disputeOf(world, paymentId);
  return { paymentId, id, shown, read: () => disputeOf(world, paymentId) };
}

const countToAnswer = async () => {
  const answer = await operations.getOverview({}, callerOf(world.token), world.ports, refuse);
  if (!('body' in answer)) throw new Error('an overview has a body');
  return answer.body.disputes.total;
};

const listAwaiting = async (who: string) => {
  const query = { page: 1, limit: 20, sortField: 'createdAt', sortDirection: 'DESC' } as const;
  const filters = [{ field: 'awaits', op: 'eq', values: [who] }] as const;
  const caller = callerOf(world.token);
  const answer = await operations.listDisputes({ ...query, filters }, caller, world.ports, refuse);
  if (!('body' in answer)) throw new Error('a list has a body');
  return answer.body.data.map(({ id }) => id);
};

const dueSoon = sql(
  'test_dispute_due_soon',
  `update disputes set evidence_due_by = (select svc_clock()) + interval '2 days' where id = $1`,
);
const countReminders = sql<{ count: number }>(
  'test_dispute_reminders',
  `select count(*)::int as count from notification_facts
   where kind = 'dispute_due' and subject_id = $1`,
);
async function remindersOf(id: string): Promise<number | undefined> {
  await world.database.write(dueSoon, [id]);
  await findTimedFacts(world.database);
  return (await world.database.read(countReminders, [id]))[0]?.count;
}

describe('a dispute that the provider answers by itself', () => {
  it('is not counted, listed or reminded of as one to answer; its answer is an update', async () => {
    const before = await countToAnswer();
    const { id, shown, read } = await openedDispute({ intendedSubmission: 'smart_disputes' });
    expect(shown).toMatchObject({
      ...{ awaits: 'provider', answeredBy: null, intendedSubmission: 'smart_disputes' },
      ...{ submissionCount: 0, hasEvidence: false, isPastDue: false },
    });
    expect(await countToAnswer()).toBe(before);
    expect(await listAwaiting('provider')).toEqual([shown.id]);
    expect(await listAwaiting('merchant')).not.toContain(shown.id);
    expect(await remindersOf(shown.id)).toBe(0);
    await step(world, id, 'answer');
    await deliverDisputeEvents(world, id);
    expect(await read()).toMatchObject({
      ...{ status: 'under_review', awaits: null, answeredBy: 'provider', submissionCount: 1 },
    });
    expect(await typesOf(world, shown.id)).toEqual(['dispute.opened', 'dispute.updated']);
  });
});

describe('a dispute that the merchant may answer', () => {
  it.each([undefined, 'manual', 'prefer_manual', 'prefer_smart_disputes'])(
    'is one to answer: %s',
    async (intendedSubmission) => {
      const before = await countToAnswer();
      const { shown } = await openedDispute({ intendedSubmission });
      expect(shown).toMatchObject({ awaits: 'merchant', answeredBy: null });
      expect(shown.intendedSubmission).toBe(intendedSubmission ?? null);
      expect(await countToAnswer()).toBe(before + 1);
      expect(await remindersOf(shown.id)).toBe(1);
    },
  );

  it('tells of stored evidence, then of who sent it; every step is told once', async () => {
    const { id, shown, read } = await openedDispute({ isCe3: true });
    expect(shown.enhancedEligibility).toEqual([
      {
        type: 'visa_compelling_evidence_3',
        status: 'requires_action',
        requiredActions: [
          ...['missing_customer_identifiers', 'missing_disputed_transaction_description'],
        ],
      },
    ]);
    await step(world, id, 'evidence', { submit: false });
    await deliverDisputeEvents(world, id);
    expect(await read()).toMatchObject({ awaits: 'merchant', hasEvidence: true });
    await step(world, id, 'evidence');
    await deliverDisputeEvents(world, id);
    await deliverDisputeEvents(world, id);
    expect(await read()).toMatchObject({
      ...{ awaits: null, answeredBy: 'merchant', submissionCount: 1, isPastDue: false },
    });
    expect(await typesOf(world, shown.id)).toEqual([
      ...['dispute.opened', 'dispute.updated', 'dispute.updated'],
    ]);
  });
});

describe('a dispute of an order that the merchant named', () => {
  it('has the reference and the metadata of its payment, and so has each event about it', async () => {
    const order = { reference: 'R-1042', metadata: { order: '1042' } };
    const { paymentId, intent } = await aPurchase(world, cards.approved, order);
    const id = await dispute(world, intent);
    await deliverDisputeEvents(world, id);
    await step(world, id, 'close', { outcome: 'won' });
    await deliverDisputeEvents(world, id);
    expect(await disputeOf(world, paymentId)).toMatchObject(order);
    const told = sql<{ type: string; object: object }>(
      'test_dispute_objects',
      `select e.type, e.payload::json #> '{data,object}' as object from events e
       join disputes d on d.id = e.resource_id where d.payment_id = $1 order by e.sequence`,
    );
    const events = await world.database.read(told, [paymentId]);
    expect(events.map(({ type }) => type)).toEqual(['dispute.opened', 'dispute.closed']);
    for (const { object } of events) expect(object).toMatchObject(order);
  });
});
