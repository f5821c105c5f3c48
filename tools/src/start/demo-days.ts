// Thirty days of a new sandbox's merchant, played day by day: the clocks of sandbox and service begin in
// the past and are moved forward until they show today.

import { json } from './card-token.ts';
import { club, type Day, type DemoAct, days, daysShown } from './demo-plan.ts';
import { type DemoShop, type Fixture, openShop, type Payment, until } from './demo-shop.ts';

const daySeconds = 86_400;

/** One day before the first act, on which the merchant is made. */
export const beginsSecondsAgo: number = (daysShown + 1) * daySeconds;

type Clock = { readonly now: string; readonly shiftSeconds: number };

/**
 * Moves a clock that is behind to now. When a start was ended during the days, the next start does this.
 */
export async function moveToNow(sandboxUrl: string): Promise<void> {
  const { shiftSeconds } = await readClock(sandboxUrl);
  if (shiftSeconds < 0) await advance(sandboxUrl, -shiftSeconds);
  // The start was ended between the two clocks: setting the clock again makes them agree.
  else await advance(sandboxUrl, 0).catch(() => undefined);
}

const readClock = async (sandboxUrl: string): Promise<Clock> =>
  (await json(`${sandboxUrl}/_control/clock`, {})) as Clock;

const advance = (sandboxUrl: string, seconds: number) =>
  json(`${sandboxUrl}/_control/clock/advance`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ seconds }),
  });

/** Plays the days. Throws when an act did not go as planned; the clock then stays at that day. */
export async function liveDays(fixture: Fixture, isStopping: () => boolean): Promise<void> {
  const shop = openShop(fixture);
  const payments = new Map<string, Payment>();
  await shop.api('POST', '/v1/products', club);
  for (const day of days) {
    if (isStopping()) return;
    await liveDay({ shop, payments, fixture }, day);
  }
  await moveToNow(fixture.sandboxUrl);
  await until('a refund that failed', async () => {
    return (await shop.total('/v1/payments?status[eq]=refund_failed&limit=1')) > 0;
  });
}

type DemoContext = { shop: DemoShop; payments: Map<string, Payment>; fixture: Fixture };

async function liveDay(scene: DemoContext, { daysAgo, acts }: Day): Promise<void> {
  const { shop, fixture } = scene;
  const { shiftSeconds } = await readClock(fixture.sandboxUrl);
  await advance(fixture.sandboxUrl, Math.round(-shiftSeconds - daysAgo * daySeconds));
  const { now } = await readClock(fixture.sandboxUrl);
  const due = `/v1/subscriptions?nextRenewalAt[lte]=${now}&limit=1`;
  await until('a renewal', async () => (await shop.total(due)) === 0);
  await Promise.all(acts.map((act) => performAct(scene, act)));
}

async function performAct({ shop, payments }: DemoContext, act: DemoAct): Promise<void> {
  if (act.kind === 'order') {
    const payment = await shop.pay(act);
    if (payment) payments.set(act.name, payment);
    return;
  }
  if (act.kind === 'abandon') {
    const lines = [{ code: act.code, quantity: 1 }];
    await shop.open({ buyer: act.buyer, currency: 'EUR', lines });
    return;
  }
  if (act.kind === 'replaceCard') {
    const { userId } = await shop.buyer(act.of);
    await shop.keepCard(userId, act.by);
    return removeCard(shop, userId);
  }
  if (act.kind === 'removeCard') return removeCard(shop, (await shop.buyer(act.of)).userId);
  const payment = payments.get(act.of);
  if (!payment) throw new Error(`there is no payment ${act.of} to ${act.kind}`);
  await move(shop, act, payment);
}

type Move = Exclude<DemoAct, { kind: 'order' | 'abandon' | 'removeCard' | 'replaceCard' }>;

async function move(shop: DemoShop, act: Move, payment: Payment): Promise<void> {
  const path = `/v1/payments/${payment.id}`;
  switch (act.kind) {
    case 'capture':
      return void (await shop.api('PUT', `${path}/capture`, {}));
    case 'release':
      return void (await shop.api('PUT', `${path}/cancel`, {}));
    case 'refund': {
      const { amount, reason } = act;
      return void (await shop.api('POST', `${path}/refunds`, {
        reason,
        ...(amount ? { amount } : {}),
      }));
    }
    case 'cancelSubscription':
      return endSubscription(shop, payment);
    case 'dispute': {
      await shop.control('/disputes', { charge: payment.gatewayChargeId, reason: act.reason });
      const opened = `/v1/disputes?paymentId[eq]=${payment.id}&limit=1`;
      return until('a dispute', async () => (await shop.total(opened)) > 0);
    }
    case 'decide':
      return decide(shop, payment, act.outcome);
  }
}

async function decide(shop: DemoShop, payment: Payment, outcome: 'won' | 'lost'): Promise<void> {
  const path = `/v1/disputes?paymentId[eq]=${payment.id}`;
  const dispute = await shop.first<{ providerDisputeId: string }>(path);
  await shop.control(`/disputes/${dispute?.providerDisputeId}/close`, { outcome });
  const decided = `${path}&status[eq]=${outcome}&limit=1`;
  await until(`a dispute that is ${outcome}`, async () => (await shop.total(decided)) > 0);
}

async function endSubscription(shop: DemoShop, { id }: Payment): Promise<void> {
  const { subscriptionId } = await shop.api<{ subscriptionId: string }>(
    'GET',
    `/v1/payments/${id}/details`,
  );
  await shop.api('POST', `/v1/subscriptions/${subscriptionId}/cancel`, {});
}

async function removeCard(shop: DemoShop, userId: string): Promise<void> {
  const oldest = `/v1/payment-methods?userUuid=${userId}&sortField=createdAt&sortDirection=ASC`;
  const card = await shop.first<{ id: string }>(oldest);
  await shop.api('DELETE', `/v1/payment-methods/${card?.id}`);
}
