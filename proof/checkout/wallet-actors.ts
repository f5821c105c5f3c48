// The buyer's side of a wallet in one interleaving: calls that pay with the wallet, the approval on
// its page, and its notices.

import { refuse } from '../../service/src/engine/implement.ts';
import { operations } from '../../service/src/operations/index.ts';
import { sql } from '../../service/src/storage/database/sql.ts';
import { insertNotice } from '../../service/src/storage/gateways/provider-inbox.ts';
import { newId, sessionCaller } from '../../service/test/harness.ts';
import { runOutsideTurns } from '../kit/turns.ts';
import {
  countEvent,
  email,
  lastResultOf,
  readAll,
  repeatClaim,
  runRecovery,
  type Stage,
} from './actors.ts';
import type { Plan } from './plan.ts';

export function spawnWallet(stage: Stage): void {
  const { wallet } = stage.plan;
  if (!wallet) return;
  for (const [n, isNamed] of wallet.pays.entries()) {
    stage.turns.spawn(`wallet ${n}`, () => pay(stage, `wallet ${n}`, isNamed));
  }
  for (const [n, approval] of wallet.approvals.entries()) {
    stage.turns.spawn(`approval ${n}`, () => approve(stage, approval));
  }
  for (let n = 0; n < wallet.notices; n++) {
    stage.turns.spawn(`wallet notice ${n}`, () => deliver(stage, n % 2 === 0));
  }
}

/**
 * Repeats the call until the response no longer sends the buyer to the wallet; each call after the
 * first is a return from there.
 */
async function pay(stage: Stage, actor: string, isNamed: boolean): Promise<void> {
  const call = async () => {
    const token = isNamed ? await readyOrder(stage) : undefined;
    return operations.processCheckoutSession(
      {
        sessionId: stage.session.id,
        'x-user-id': stage.session.userId,
        body: {
          sessionId: stage.session.id,
          tokenizedData: { provider: 'wallet', type: 'wallet', ...(token ? { token } : {}) },
          accountData: { userId: stage.session.userId, email },
        },
      },
      sessionCaller(stage.session.nonce),
      stage.ports,
      refuse,
    );
  };
  for (let visit = 0; visit < 3; visit++) {
    await repeatClaim(stage, actor, call);
    if (lastResultOf(stage, actor)?.body?.type !== 'wallet_redirect_required') return;
    for (let turn = 0; turn < 3; turn++) await stage.turns.gate('is at the wallet');
  }
}

/** Returns the wallet order that the session shows, which the direct flow has approved. */
async function readyOrder(stage: Stage): Promise<string | undefined> {
  const answer = await operations.getCheckoutSession(
    { checkoutSessionId: stage.session.id },
    sessionCaller(stage.session.nonce),
    stage.ports,
    refuse,
  );
  const { gateways } = (answer as { body: { gateways: { wallet?: { orderId: string } } } }).body;
  return gateways.wallet?.orderId;
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
export const ordersOf = async ({ world, session }: Pick<Stage, 'world' | 'session'>) =>
  (await runOutsideTurns(() => world.database.read(orders, [session.id]))).map(
    (row) => row.order_id,
  );

type Approval = NonNullable<Plan['wallet']>['approvals'][number];

async function approve(stage: Stage, { isOfNewest, behaviour }: Approval): Promise<void> {
  for (let turn = 0; turn < 12; turn++) {
    await stage.turns.gate('looks for an order');
    const order = (await ordersOf(stage)).at(isOfNewest ? -1 : 0);
    if (!order) continue;
    const path = `/_control/wallet/orders/${order}/approve`;
    const isTaken = await runOutsideTurns(() =>
      stage.world.control('POST', path, { behaviour }).then(
        () => true,
        () => false,
      ),
    );
    countEvent(
      stage,
      isTaken ? `an order was approved, and ${behaviour}` : 'an order took no approval',
    );
    if (!isTaken) continue;
    stage.approved.push(order);
    return;
  }
}

/** Delivers the signed notice about an approved order, and runs the workers that it wakes. */
async function deliver(stage: Stage, isOfNewest: boolean): Promise<void> {
  const id = `WH-${newId()}`;
  for (let turn = 0; turn < 20; turn++) {
    await stage.turns.gate('the wallet sends a notice');
    const order = stage.approved.at(isOfNewest ? -1 : 0);
    if (!order) continue;
    await insertNotice(stage.ports.database, {
      gatewayId: stage.walletGatewayId,
      id,
      objectId: order,
      type: 'CHECKOUT.ORDER.APPROVED',
      createdAt: new Date(),
      payloadSha256: Buffer.alloc(32),
      payload: { objectId: order, object: 'checkout-order' },
    });
    await readAll(stage);
    await runRecovery(stage);
    const [read] = await runOutsideTurns(() => stage.world.database.read(outcome, [id]));
    countEvent(stage, `a notice of the wallet: ${read?.outcome ?? 'kept'}`);
    return;
  }
}

const outcome = sql<{ outcome: string | null }>(
  'proof_notice_outcome',
  'select outcome from provider_inbox where notice_id = $1',
);
