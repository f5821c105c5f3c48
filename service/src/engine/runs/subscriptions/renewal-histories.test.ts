// Random histories of one subscription: time, concurrent workers, declines, lost responses,
// processes killed before and after the call, other cards, an end that is made, or planned
// and taken back while workers renew. They are judged by the provider's ledger.

import { byLevel } from '@svc/tools/levels/level';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aSavedCard } from '../../../../test/customers/saved-cards.ts';
import {
  aClub,
  advanceToRenewal,
  type Club,
  cancelClub,
  endAll,
  fundWith,
  nowOf,
  planEnd,
  renewalsOf,
  resumeClub,
  subscriptionOf,
} from '../../../../test/customers/subscriptions.ts';
import { runRecovery } from '../../../../test/payments/checkouts.ts';
import { advance } from '../../../../test/payments/planted.ts';
import { startWorld, type World } from '../../../../test/world.ts';
import { periodEnd } from '../../../domain/payments/subscription.ts';
import { openProviders, type Providers } from '../../../providers/registry.ts';
import { sql } from '../../../storage/database/sql.ts';
import type { Ports, Provider } from '../../ports.ts';
import { renewDue } from './renew-due.ts';

// Only calls whose response is to be lost get short time limits, so that a slow machine is not
// taken for a fault of the provider.
const patient = { budgetMs: 20_000, answerMs: 10_000 };
const hasty = { budgetMs: 250, resendMs: 50, pauseMs: 5, answerMs: 100 };

let world: World;
let hurried: Providers;
async function openWorld(): Promise<void> {
  world = await startWorld({ provider: patient });
  hurried = openProviders({ ...hasty, cardUrl: world.sandbox.url });
}
async function closeWorld(): Promise<void> {
  await hurried?.close();
  await world?.close();
}
beforeAll(openWorld, 60_000);
afterAll(closeWorld);

const confirm = { method: 'POST', path: '/v1/payment_intents/*/confirm' };
const reads = { method: 'GET', path: '/v1/payment_intents' };

type RenewalTrouble = 'none' | 'declined' | 'lost' | 'killed_before' | 'killed_after';
type Step =
  | { readonly kind: 'wait'; readonly days: number }
  | { readonly kind: 'due' }
  | { readonly kind: 'renew'; readonly workers: number; readonly trouble: RenewalTrouble }
  | { readonly kind: 'recover' }
  | { readonly kind: 'replace' }
  | { readonly kind: 'cancel' }
  /** An end is planned or taken back, while as many workers renew. */
  | {
      readonly kind: 'plan' | 'resume';
      readonly workers: number;
      readonly trouble: RenewalTrouble;
    };

const aTrouble = fc.constantFrom<RenewalTrouble>(
  'none',
  'none',
  'none',
  'declined',
  'lost',
  'killed_before',
  'killed_after',
);
const aStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('wait'), days: fc.integer({ min: 1, max: 70 }) }),
  },
  { weight: 4, arbitrary: fc.constant({ kind: 'due' }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('renew'),
      workers: fc.integer({ min: 1, max: 3 }),
      trouble: aTrouble,
    }),
  },
  { weight: 3, arbitrary: fc.constant({ kind: 'recover' }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'replace' }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'cancel' }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom('plan', 'resume'),
      workers: fc.integer({ min: 0, max: 2 }),
      trouble: aTrouble,
    }),
  },
);

const hurriedPorts = (): Ports => ({ ...world.ports, provider: hurried.provider });

/** Ports of a process that ends before its call is sent, or after it was answered. */
const dyingPorts = (trouble: 'killed_before' | 'killed_after'): Ports => ({
  ...world.ports,
  provider: (gateway) => {
    const real = world.ports.provider(gateway);
    const authorize: Provider['authorize'] = async (call) => {
      if (trouble === 'killed_after') await real.authorize(call);
      throw new Error('killed');
    };
    return { ...real, authorize };
  },
});

function portsIn(trouble: RenewalTrouble): Ports {
  if (trouble === 'killed_before' || trouble === 'killed_after') return dyingPorts(trouble);
  return trouble === 'lost' ? hurriedPorts() : world.ports;
}

async function renew(workers: number, trouble: RenewalTrouble): Promise<void> {
  if (trouble === 'declined') await world.fault(confirm, 'decline', { count: 1 });
  if (trouble === 'lost') {
    await world.fault(confirm, 'drop_reply', { count: 9 });
    await world.fault(reads, 'error_503_unrecorded', { count: 99 });
  }
  const ports = portsIn(trouble);
  const thrown: unknown[] = [];
  const onError = (_: unknown, error: unknown) => void thrown.push(error);
  await Promise.all(Array.from({ length: workers }, () => renewDue(ports, { limit: 9, onError })));
  await world.control('DELETE', '/_control/faults');
  for (const error of thrown) expect(error).toMatchObject({ message: 'killed' });
}

async function takeHistoryStep(step: Step, club: Club): Promise<void> {
  const { status } = await subscriptionOf(world, club.id);
  if (step.kind === 'wait') await advance(world, step.days * 86_400);
  if (step.kind === 'due' && status !== 'canceled') await advanceToRenewal(world, club.id);
  if (step.kind === 'renew') await renew(step.workers, step.trouble);
  if (step.kind === 'recover') await runRecovery(world);
  if (step.kind === 'cancel') await cancelClub(world, club.id);
  if (step.kind === 'plan' || step.kind === 'resume') {
    const change = step.kind === 'plan' ? planEnd(world, club.id) : resumeClub(world, club.id);
    await Promise.all([change, renew(step.workers, step.trouble)]);
  }
  if (step.kind === 'replace' && status !== 'canceled') {
    await fundWith(world, club.id, (await aSavedCard(world, { userId: club.userId })).id);
  }
}

const renewed = sql<{ type: string; sequence: number }>(
  'test_renewed',
  'select type, sequence from events where resource_id = $1 order by sequence',
);

const capturesOf = async (intent: string | null): Promise<number> =>
  intent === null
    ? 0
    : (await world.ledger(intent)).filter(({ kind }) => kind === 'capture').length;

/** The clock only goes forward; before the cards expire, a new fixture replaces this one. */
async function renewWorld(): Promise<void> {
  if ((await nowOf(world)).getUTCFullYear() < 2032) return;
  await closeWorld();
  await openWorld();
}

/** While an end is planned no renewal begins. `begun` are those from before the step. */
async function judgePlanned(club: Club, step: Step, begun: number): Promise<void> {
  if (step.kind === 'resume') return;
  expect((await renewalsOf(world, club.id)).length).toBe(begun);
}

/** A planned end comes with its period, without another charge. */
async function judgeEnd(club: Club): Promise<void> {
  const begun = (await renewalsOf(world, club.id)).length;
  await advanceToRenewal(world, club.id);
  await renew(2, 'none');
  expect(await subscriptionOf(world, club.id)).toMatchObject({ status: 'canceled' });
  expect((await renewalsOf(world, club.id)).length).toBe(begun);
}

/** Checks the rules that hold at every moment, whatever is open. */
async function judge(club: Club): Promise<void> {
  const stands = await subscriptionOf(world, club.id);
  const renewals = await renewalsOf(world, club.id);
  const open = renewals.filter(({ status }) => status !== 'succeeded' && status !== 'failed');
  expect(open.length).toBeLessThanOrEqual(1);
  if (stands.status !== 'canceled') {
    expect(open.map(({ id }) => id)).toEqual(
      stands.renewalPaymentId === null ? [] : [stands.renewalPaymentId],
    );
  }
  for (const { status, provider_intent_id: intent } of renewals) {
    const captures = await capturesOf(intent);
    if (status === 'succeeded') expect(captures).toBe(1);
    else if (status === 'failed') expect(captures).toBe(0);
    else expect(captures).toBeLessThanOrEqual(1);
  }
  const paid = renewals.filter(({ status }) => status === 'succeeded').length;
  const events = await world.database.read(renewed, [club.id]);
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1));
  const told = events.filter(({ type }) => type === 'subscription.renewed').length;
  // A renewal that was running at the cancellation settles without a new period.
  if (stands.status === 'canceled') expect([told, told + 1]).toContain(paid);
  else expect(told).toBe(paid);
  const { anchoredAt, interval, periods, currentPeriodEnd, tries } = stands;
  expect(currentPeriodEnd).toEqual(periodEnd(anchoredAt, interval, periods));
  expect(periods).toBeGreaterThan(paid - (stands.status === 'canceled' ? 1 : 0));
  expect(tries).toBeLessThanOrEqual(stands.status === 'canceled' ? 5 : 4);
}

/** Returns the sum that the provider has captured for the subscription's renewals. */
async function sumCaptured({ id }: Club): Promise<number> {
  const counts = (await renewalsOf(world, id)).map((one) => capturesOf(one.provider_intent_id));
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}

/** No time is charged twice: each success began after the end of the period before. */
async function judgeTimes(club: Club, ends: readonly Date[]): Promise<void> {
  const renewals = await renewalsOf(world, club.id);
  const paid = renewals.filter(({ status }) => status === 'succeeded');
  for (const [index, { created_at: at }] of paid.entries()) {
    expect(at.getTime()).toBeGreaterThanOrEqual(ends[index]?.getTime() ?? Number.POSITIVE_INFINITY);
  }
}

describe('any history of a subscription', () => {
  it('one charge at a time, one capture per period that is told, none after its end, and recovery ends what is open', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(aStep, { minLength: 10, maxLength: 20 }), async (steps) => {
        await renewWorld();
        const club = await aClub(world);
        const ends: Date[] = [];
        for (const step of [...steps, { kind: 'recover' } as const]) {
          const { currentPeriodEnd } = await subscriptionOf(world, club.id);
          if (ends.at(-1)?.getTime() !== currentPeriodEnd.getTime()) ends.push(currentPeriodEnd);
          const before = await sumCaptured(club);
          const { status: was, endReason } = await subscriptionOf(world, club.id);
          const begun = (await renewalsOf(world, club.id)).length;
          await takeHistoryStep(step, club);
          await judge(club);
          if (endReason) await judgePlanned(club, step, begun);
          if (was === 'canceled') expect(await sumCaptured(club)).toBe(before);
        }
        await judgeTimes(club, ends);
        const { renewalPaymentId, status, endReason } = await subscriptionOf(world, club.id);
        if (status !== 'canceled') expect(renewalPaymentId).toBeNull();
        if (endReason) await judgeEnd(club);
        await endAll(world);
      }),
      { numRuns: byLevel({ gate: 3, proof: 8 }) },
    );
  }, 120_000);
});
