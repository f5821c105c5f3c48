// A customer with cards, subscriptions and defaults, drawn from a seed, on a database in which
// everything is real except the provider.

import { randomUUID } from 'node:crypto';
import type { PaymentMethod } from '../../service/src/domain/payments/payment-method.ts';
import type { Ports } from '../../service/src/engine/ports.ts';
import { activate } from '../../service/src/engine/steps/payment-methods/activate-method.ts';
import { readClock } from '../../service/src/storage/database/clock.ts';
import { sql } from '../../service/src/storage/database/sql.ts';
import { insertMethod } from '../../service/src/storage/payment-methods/payment-methods.ts';
import {
  aClient,
  aCustomer,
  aGateway,
  freshDatabase,
  newId,
  portsFor,
  type TestDatabase,
} from '../../service/test/harness.ts';
import type { Random } from '../kit/random.ts';
import { TroubledProvider, type Watch } from './provider.ts';
import { drawRates, type Rates } from './rates.ts';

export type Lane = {
  readonly db: TestDatabase;
  readonly clientId: string;
  readonly gateways: readonly string[];
  readonly ports: Ports;
};

/** Opens one merchant with two gateways; no call leaves the process. */
export async function openLane(): Promise<Lane> {
  const db = await freshDatabase();
  const client = await aClient(db.database);
  const gateways = [
    (await aGateway(db.database, client)).id,
    (await aGateway(db.database, client)).id,
  ];
  const ports = portsFor(db.database, {
    sealed: {
      ...portsFor(db.database).sealed,
      seal: async () => Buffer.alloc(0),
      open: async () => 'sk_proof',
    },
    methodKeeper: () => ({}) as ReturnType<Ports['methodKeeper']>,
  });
  return { db, clientId: client.id, gateways, ports };
}

const letGo = sql(
  'proof_detachment_let_go',
  `update payment_method_detachments set lease_until = null, next_try_at = svc_clock()
   where state = 'running'`,
);

/** Ends the leases of processes that died, and makes the detachments due for the worker. */
export const endDetachmentLeases = (db: TestDatabase) => db.database.write(letGo, []);

export type Card = { readonly method: PaymentMethod; readonly providerId: string };

export type Subscription = {
  readonly id: string;
  readonly on: string;
  readonly isCanceled: boolean;
};

export type Stage = {
  readonly lane: Lane;
  readonly random: Random;
  readonly rates: Rates;
  readonly userId: string;
  readonly target: Card;
  readonly others: readonly Card[];
  readonly subscriptions: readonly Subscription[];
  readonly defaultId: string | null;
  readonly provider: TroubledProvider;
  readonly vault: Map<string, number>;
  readonly violations: string[];
  readonly count: (what: string) => void;
};

const statuses = ['trialing', 'active', 'past_due', 'unpaid', 'paused', 'canceled'] as const;

export async function setStage(
  lane: Lane,
  random: Random,
  count: (what: string) => void,
): Promise<Stage> {
  const { database } = lane.db;
  const { id: userId } = await aCustomer(database, { id: lane.clientId });
  const rates = drawRates(random);
  const violations: string[] = [];
  const onDetach: Watch['onDetach'] = async (providerId) => {
    const stage = { lane, violations, provider };
    await judgeDetach(stage, userId, providerId);
  };
  const provider = new TroubledProvider({ random, rates, count, onDetach });
  const cards: Card[] = [];
  for (let n = random.whole(0, 3); n >= 0; n--) cards.push(await aCard(lane, random, userId));
  for (const { method, providerId } of cards) {
    provider.attach(providerId, method.providerCustomerId ?? '');
  }
  const [target, ...others] = cards;
  if (!target) throw new Error('there is always one');
  const subscriptions: Subscription[] = [];
  for (let n = random.whole(0, 3); n > 0; n--) {
    const on = random.chance(0.7) ? target : random.pick(cards);
    const status = random.pick(statuses);
    subscriptions.push(await aSubscription(lane, on.method, status));
  }
  const own = random.pick([target, target, random.pick(cards), null]);
  await database.write(setDefault, [lane.clientId, userId, own?.method.id ?? null]);
  const theirs = random.pick([target, random.pick(cards), null]);
  if (theirs) {
    provider.defaults.set(theirs.method.providerCustomerId ?? '', theirs.providerId);
  }
  // Somebody detached another card at the provider, without a notice.
  const gone = random.chance(0.12) ? others.at(0) : undefined;
  if (gone) provider.methods.set(gone.providerId, null);
  const vault = new Map(cards.map(({ providerId }) => [providerId, random.whole(0, 2)]));
  const defaultId = own?.method.id ?? null;
  return {
    ...{ lane, random, rates, userId, target, others, subscriptions, defaultId, provider },
    ...{ vault, violations, count },
  };
}

const setDefault = sql(
  'proof_detachment_default',
  'update customers set default_payment_method_id = $3 where client_id = $1 and id = $2',
);

/** Inserts a card, usually one that could replace the others. */
async function aCard(lane: Lane, random: Random, userId: string): Promise<Card> {
  const [gateway = '', other = ''] = lane.gateways;
  const isElsewhere = random.chance(0.12);
  const gatewayId = isElsewhere ? other : gateway;
  const suffix = isElsewhere ? 'b' : random.chance(0.1) ? 'c' : 'a';
  const providerCustomerId = `cus_${userId}${suffix}`;
  const providerId = `pm_${randomUUID()}`;
  const type = random.chance(0.15) ? 'google_pay' : 'card';
  const { clientId, ports } = lane;
  const method = await ports.database.transaction(clientId, async (tx) => {
    const now = await readClock(tx);
    const pending = await insertMethod(tx, {
      ...{ id: newId(), clientId, userId, gatewayId, provider: 'cardprovider', type },
      ...{ sessionId: newId(), isLive: false, createdAt: now },
    });
    const known = { lastFour: '4242', expiryMonth: 12, expiryYear: 2034, payerEmail: null };
    const facts = { ...known, brand: 'visa', type } as const;
    const ids = { providerCustomerId, providerPaymentMethodId: providerId };
    return activate(tx, pending, { ...ids, facts, request: null, now }, ports);
  });
  return { method, providerId };
}

const insertSubscription = sql(
  'proof_detachment_subscription',
  `insert into subscriptions (id, client_id, user_id, session_id, product_code, product_name,
     quantity, amount_minor, currency, interval_unit, provider, gateway_id, is_live, created_at,
     anchored_at, payment_method_id, status, current_period_end, canceled_at, cancel_reason,
     updated_at)
   values ($1, $2, $3, $4, 'club', 'Club', 1, 2400, 'EUR', 'month', 'cardprovider', $5, false,
     svc_clock(), svc_clock(), $6, $7, svc_clock() + interval '1 month',
     case when $7 = 'canceled' then svc_clock() end,
     case when $7 = 'canceled' then 'merchant_requested' end, svc_clock())`,
);

async function aSubscription(
  { db, clientId }: Lane,
  { id: on, userId, gatewayId }: PaymentMethod,
  status: (typeof statuses)[number],
): Promise<Subscription> {
  const id = newId();
  const values = [id, clientId, userId, newId(), gatewayId, on, status];
  await db.database.write(insertSubscription, values);
  return { id, on, isCanceled: status === 'canceled' };
}

const depending = sql<{ found: string }>(
  'proof_detachment_depending',
  `select 'subscription' as found from subscriptions s join payment_methods m
     on m.id = s.payment_method_id
   where m.user_id = $1 and m.provider_payment_method_id = $2 and s.status <> 'canceled'
   union all
   select 'default' from customers c join payment_methods m on m.id = c.default_payment_method_id
   where c.id = $1 and m.provider_payment_method_id = $2
   union all
   select 'live use' from payment_method_uses u join payments p on p.id = u.payment_id
     join payment_methods m on m.id = u.payment_method_id
   where m.user_id = $1 and m.provider_payment_method_id = $2
     and p.status in ('pending', 'processing', 'unknown')`,
);

/** When the provider detaches a card, nothing may depend on the card. */
async function judgeDetach(
  { lane, violations, provider }: Pick<Stage, 'lane' | 'violations' | 'provider'>,
  userId: string,
  providerId: string,
): Promise<void> {
  const found = await lane.db.database.read(depending, [userId, providerId]);
  for (const each of found) violations.push(`P2: detached under a ${each.found}`);
  const isDefault = [...provider.defaults.values()].includes(providerId);
  if (isDefault && !provider.lateDefaults.has(providerId)) {
    violations.push("P2: detached while it is the provider's default");
  }
}
