// The buyer's side of a wallet in one interleaving: calls that pay with the wallet, the approval on
// its page, and its notices.

import { sql } from '../../service/src/storage/database/sql.ts';
import { insertNotice } from '../../service/src/storage/gateways/provider-inbox.ts';
import { newId } from '../../service/test/harness.ts';
import { type ActorPlan, runOutside } from '../kit/scheduler.ts';
import {
  type Checkout,
  lastResultOf,
  process,
  readAll,
  readSession,
  repeatClaim,
  runRecovery,
} from './actors.ts';
import type { Plan } from './plan.ts';

export function walletActors(checkout: Checkout): ActorPlan[] {
  const { pays, approvals, notices } = checkout.plan.wallet ?? noWallet;
  return [
    ...pays.map((isNamed, n) => ({
      ...{ name: `wallet ${n}`, work: () => pay(checkout, `wallet ${n}`, isNamed) },
    })),
    ...approvals.map((approval, n) => ({
      ...{ name: `approval ${n}`, work: () => approve(checkout, approval) },
    })),
    ...Array.from({ length: notices }, (_, n) => ({
      ...{ name: `wallet notice ${n}`, work: () => deliver(checkout, n % 2 === 0) },
    })),
  ];
}

const noWallet: NonNullable<Plan['wallet']> = { pays: [], approvals: [], notices: 0 };

/**
 * Repeats the call until the response no longer sends the buyer to the wallet; each call after the
 * first is a return from there.
 */
async function pay(checkout: Checkout, actor: string, isNamed: boolean): Promise<void> {
  const call = async () => {
    const token = isNamed ? (await readSession(checkout)).gateways.wallet?.orderId : undefined;
    const tokenizedData = {
      provider: 'wallet',
      type: 'wallet',
      ...(token ? { token } : {}),
    } as const;
    return process(checkout, { tokenizedData });
  };
  for (let visit = 0; visit < 3; visit++) {
    await repeatClaim(checkout, actor, call);
    if (lastResultOf(checkout, actor)?.body?.type !== 'wallet_redirect_required') return;
    for (let turn = 0; turn < 3; turn++) await checkout.scheduler.gate('is at the wallet');
  }
}

const orders = sql<{ order_id: string }>(
  'proof_wallet_orders',
  `select order_id from (
     select id, order_id from wallet_orders where session_id = $1 and order_id is not null
     union
     select id, provider_intent_id from payments
     where session_id = $1 and provider = 'wallet' and provider_intent_id is not null) o
   group by order_id order by min(id::text)`,
);

/** Returns the orders that were created for the session, the oldest first. */
export const ordersOf = async ({ world, session }: Pick<Checkout, 'world' | 'session'>) =>
  (await runOutside(() => world.database.read(orders, [session.id]))).map((row) => row.order_id);

type Approval = NonNullable<Plan['wallet']>['approvals'][number];

async function approve(checkout: Checkout, { isOfNewest, behaviour }: Approval): Promise<void> {
  for (let turn = 0; turn < 12; turn++) {
    await checkout.scheduler.gate('looks for an order');
    const order = (await ordersOf(checkout)).at(isOfNewest ? -1 : 0);
    if (!order) continue;
    const path = `wallet/orders/${order}/approve`;
    const isTaken = await checkout.account.act(path, { behaviour });
    checkout.count(
      isTaken ? `an order was approved, and ${behaviour}` : 'an order took no approval',
    );
    if (!isTaken) continue;
    checkout.approved.push(order);
    return;
  }
}

/** Delivers the signed notice about an approved order, and runs the workers that it wakes. */
async function deliver(checkout: Checkout, isOfNewest: boolean): Promise<void> {
  const id = `WH-${newId()}`;
  for (let turn = 0; turn < 20; turn++) {
    await checkout.scheduler.gate('the wallet sends a notice');
    const order = checkout.approved.at(isOfNewest ? -1 : 0);
    if (!order) continue;
    await insertNotice(checkout.ports.database, {
      gatewayId: checkout.walletGatewayId,
      id,
      objectId: order,
      type: 'CHECKOUT.ORDER.APPROVED',
      createdAt: new Date(),
      payloadSha256: Buffer.alloc(32),
      payload: { objectId: order, object: 'checkout-order' },
    });
    await readAll(checkout);
    await runRecovery(checkout);
    const [read] = await runOutside(() => checkout.world.database.read(outcome, [id]));
    checkout.count(`a notice of the wallet: ${read?.outcome ?? 'kept'}`);
    return;
  }
}

const outcome = sql<{ outcome: string | null }>(
  'proof_notice_outcome',
  'select outcome from provider_inbox where notice_id = $1',
);
