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
import { addSubscription, dependingOn } from './uses.ts';

export type Fixture = {
  readonly db: TestDatabase;
  readonly clientId: string;
  readonly gateways: readonly string[];
  readonly ports: Ports;
};

/** Opens one merchant with two gateways; no call leaves the process. */
export async function openFixture(): Promise<Fixture> {
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

export type Detachment = {
  readonly fixture: Fixture;
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

export async function drawDetachment(
  fixture: Fixture,
  random: Random,
  count: (what: string) => void,
): Promise<Detachment> {
  const { database } = fixture.db;
  const { id: userId } = await aCustomer(database, { id: fixture.clientId });
  const rates = drawRates(random);
  const violations: string[] = [];
  const onDetach: Watch['onDetach'] = async (providerId) => {
    const detachment = { fixture, violations, provider };
    await judgeDetach(detachment, userId, providerId);
  };
  const provider = new TroubledProvider({ random, rates, count, onDetach });
  const cards: Card[] = [];
  for (let n = random.whole(0, 3); n >= 0; n--) cards.push(await aCard(fixture, random, userId));
  for (const { method, providerId } of cards) {
    provider.attach(providerId, method.providerCustomerId ?? '');
  }
  const [target, ...others] = cards;
  if (!target) throw new Error('there is always one');
  const subscriptions: Subscription[] = [];
  for (let n = random.whole(0, 3); n > 0; n--) {
    const on = random.chance(0.7) ? target : random.pick(cards);
    const status = random.pick(statuses);
    const id = await addSubscription(database, on.method, { status });
    subscriptions.push({ id, on: on.method.id, isCanceled: status === 'canceled' });
  }
  const own = random.pick([target, target, random.pick(cards), null]);
  await database.write(setDefault, [fixture.clientId, userId, own?.method.id ?? null]);
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
    ...{ fixture, random, rates, userId, target, others, subscriptions, defaultId, provider },
    ...{ vault, violations, count },
  };
}

const setDefault = sql(
  'proof_detachment_default',
  'update customers set default_payment_method_id = $3 where client_id = $1 and id = $2',
);

/** Inserts a card, usually one that could replace the others. */
async function aCard(fixture: Fixture, random: Random, userId: string): Promise<Card> {
  const [gateway = '', other = ''] = fixture.gateways;
  const isElsewhere = random.chance(0.12);
  const gatewayId = isElsewhere ? other : gateway;
  const suffix = isElsewhere ? 'b' : random.chance(0.1) ? 'c' : 'a';
  const providerCustomerId = `cus_${userId}${suffix}`;
  const providerId = `pm_${randomUUID()}`;
  const type = random.chance(0.15) ? 'google_pay' : 'card';
  const { clientId, ports } = fixture;
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

/** When the provider detaches a card, nothing may depend on the card. */
async function judgeDetach(
  { fixture, violations, provider }: Pick<Detachment, 'fixture' | 'violations' | 'provider'>,
  userId: string,
  providerId: string,
): Promise<void> {
  const found = await dependingOn(fixture.db.database, userId, providerId);
  for (const each of found) violations.push(`P2: detached under a ${each}`);
  const isDefault = [...provider.defaults.values()].includes(providerId);
  if (isDefault && !provider.lateDefaults.has(providerId)) {
    violations.push("P2: detached while it is the provider's default");
  }
}
