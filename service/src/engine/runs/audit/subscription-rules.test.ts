// The audit of subscriptions, on what the service wrote, and on rows that somebody else changed.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aSavedCard } from '../../../../test/customers/saved-cards.ts';
import {
  aClub,
  advanceToRenewal,
  type Club,
  cancelClub,
  fundWith,
  renewAll,
  renewalsOf,
  subscriptionOf,
} from '../../../../test/customers/subscriptions.ts';
import { newId } from '../../../../test/harness.ts';
import { runRecovery } from '../../../../test/payments/checkouts.ts';
import { plantInDatabase } from '../../../../test/payments/planted.ts';
import { startWorld, type World } from '../../../../test/world.ts';
import { runAudit, type Violation } from './run-audit.ts';
import { subscriptionRules } from './subscription-rules.ts';

const confirm = { method: 'POST', path: '/v1/payment_intents/*/confirm' };
const declines = '4000000000000341';
const reads = { method: 'GET', path: '/v1/payment_intents' };

let world: World;
/** A subscription that was renewed and waits for its next renewal. */
let renewed: Club;
/** A subscription whose renewal was declined and will be tried again. */
let late: Club;
/** A subscription that was canceled while its renewal was in doubt; the renewal was paid. */
let ended: Club;
let renewalId: string;
beforeAll(async () => {
  world = await startWorld();
  ended = await aClub(world);
  await advanceToRenewal(world, ended.id);
  await world.fault(confirm, 'drop_reply', { count: 9 });
  await world.fault(reads, 'error_503_unrecorded', { count: 99 });
  await renewAll(world);
  expect(await audit()).toEqual([]);
  await cancelClub(world, ended.id);
  await world.control('DELETE', '/_control/faults');
  await runRecovery(world);
  renewed = await aClub(world);
  await advanceToRenewal(world, renewed.id);
  await renewAll(world);
  renewalId = (await renewalsOf(world, renewed.id))[0]?.id ?? '';
  late = await aClub(world);
  const { id: methodId } = await aSavedCard(world, { userId: late.userId, number: declines });
  await fundWith(world, late.id, methodId);
  late = { ...late, methodId };
  await advanceToRenewal(world, late.id);
  await renewAll(world);
  expect(await subscriptionOf(world, late.id)).toMatchObject({ status: 'past_due' });
});
afterAll(() => world?.close());

const tried = new Set<string>();

async function audit(): Promise<string[]> {
  const list: Violation[] = [];
  await runAudit({ url: world.url, onViolation: (one) => void list.push(one) });
  for (const { rule } of list) tried.add(rule);
  return list.map(({ rule, subject }) => `${rule} ${subject}`).sort();
}

/** Returns the rules that report a violation after the change, then undoes the change. */
async function auditAfter(change: string, undo: string): Promise<string[]> {
  await plantInDatabase(world.ownerUrl, (run) => run(change));
  const list = await audit();
  await plantInDatabase(world.ownerUrl, (run) => run(undo));
  return list;
}

const setSubscription = (id: string, what: string) =>
  `update subscriptions set ${what} where id = '${id}'`;

describe('audit of subscriptions', () => {
  it('zero on what the service wrote: renewed, declined, in doubt, and paid past its end', async () => {
    expect((await renewalsOf(world, ended.id)).map(({ status }) => status)).toEqual(['succeeded']);
    expect(await audit()).toEqual([]);
  });

  it('P7: waits for a renewal that is over, and for a payment that is none of its own', async () => {
    const nothing = setSubscription(renewed.id, 'renewal_payment_id = null');
    const over = setSubscription(renewed.id, `renewal_payment_id = '${renewalId}'`);
    expect(await auditAfter(over, nothing)).toEqual([`P7 ${renewed.id}`]);
    for (const id of [renewed.paymentId, newId()]) {
      const other = setSubscription(late.id, `renewal_payment_id = '${id}'`);
      const list = await auditAfter(other, setSubscription(late.id, 'renewal_payment_id = null'));
      expect(list).toEqual([`P7 ${late.id}`]);
    }
  });

  it('P8: a period charged twice, one told and not paid, and one that is not counted', async () => {
    const use = `update payment_method_uses set subscription_id`;
    const twice = await auditAfter(
      `${use} = '${late.id}' where payment_id = '${renewalId}'`,
      `${use} = '${renewed.id}' where payment_id = '${renewalId}'`,
    );
    expect(twice).toEqual([renewed.id, late.id].map((id) => `P8 ${id}`).sort());
    const { periods } = await subscriptionOf(world, renewed.id);
    const asItWas = setSubscription(renewed.id, `periods = ${periods}`);
    const uncounted = await auditAfter(setSubscription(renewed.id, 'periods = 1'), asItWas);
    expect(uncounted).toEqual([`P8 ${renewed.id}`]);
  });

  it('R1g: due since yesterday and charged by nobody, and never due', async () => {
    const { nextRenewalAt } = await subscriptionOf(world, late.id);
    const asItWas = setSubscription(late.id, `next_renewal_at = '${nextRenewalAt?.toISOString()}'`);
    const yesterday = setSubscription(late.id, `next_renewal_at = svc_clock() - interval '1 day'`);
    expect(await auditAfter(yesterday, asItWas)).toEqual([`R1g ${late.id}`]);
    expect(await auditAfter(setSubscription(late.id, 'next_renewal_at = null'), asItWas)).toEqual([
      `R1g ${late.id}`,
    ]);
  });

  it('R1g: not while it is just due, nor while its card is being removed', async () => {
    const { nextRenewalAt } = await subscriptionOf(world, late.id);
    const asItWas = setSubscription(late.id, `next_renewal_at = '${nextRenewalAt?.toISOString()}'`);
    const setDue = (ago: string) =>
      setSubscription(late.id, `next_renewal_at = svc_clock() - interval '${ago}'`);
    expect(await auditAfter(setDue('50 minutes'), asItWas)).toEqual([]);
    const removing = `insert into payment_method_detachments (payment_method_id, client_id, step, state,
        started_at, next_try_at)
      values ('${late.methodId}', '${world.client.id}', 'claimed', 'running', svc_clock(), now())`;
    const over = `delete from payment_method_detachments where payment_method_id = '${late.methodId}'`;
    expect(await auditAfter(`${setDue('1 day')}; ${removing}`, `${asItWas}; ${over}`)).toEqual([]);
  });

  it('leaves no rule untried', () => {
    expect(subscriptionRules.map(({ id }) => id).filter((id) => !tried.has(id))).toEqual([]);
  });
});
