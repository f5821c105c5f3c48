// Saved cards for tests: stored at the sandbox for a customer of the world's client, and sessions
// in which the merchant vouches for the buyer.

import type { ProcessBody } from '@svc/contract/checkout-sessions/checkout-sessions';
import { eventExamples } from '@svc/contract/events/event-examples';
import type { PaymentMethod } from '../../src/domain/payments/payment-method.ts';
import { refuse } from '../../src/engine/implement.ts';
import { composeEvent } from '../../src/engine/steps/events/compose-event.ts';
import { openGateway } from '../../src/engine/steps/gateways/open-gateway.ts';
import { activate } from '../../src/engine/steps/payment-methods/activate-method.ts';
import { ensureProviderCustomer } from '../../src/engine/steps/payment-methods/ensure-provider-customer.ts';
import { operations } from '../../src/operations/index.ts';
import { readClock } from '../../src/storage/database/clock.ts';
import { sql } from '../../src/storage/database/sql.ts';
import { hasLiveUse } from '../../src/storage/payment-methods/payment-method-uses.ts';
import {
  findMethod,
  insertMethod,
  lockMethod,
} from '../../src/storage/payment-methods/payment-methods.ts';
import { appendEvent } from '../../src/storage/webhooks/events.ts';
import { callerOf, newId, sessionCaller } from '../harness.ts';
import { anonymous } from '../payments/checkouts.ts';
import { type Checkout, cards, type World } from '../world.ts';
import type { PageIntent } from './in-page.ts';

const email = 'buyer@example.test';

type CardOptions = {
  userId?: string;
  /** False when the merchant does not vouch for the buyer. */
  isVouched?: boolean;
  captureMethod?: 'automatic' | 'manual';
  products?: { code: string; quantity: number }[];
  couponCodes?: string[];
  metadata?: Record<string, string>;
};

/** Opens a session in which, by default, the merchant vouches for the buyer. */
export async function vouchedSession(world: World, given: CardOptions = {}): Promise<Checkout> {
  const userId = given.userId ?? newId();
  const answer = await operations.createCheckoutSession(
    {
      body: {
        clientId: world.client.id,
        captureMethod: given.captureMethod ?? 'automatic',
        currency: 'EUR',
        products: given.products ?? [{ code: 'mug', quantity: 1 }],
        accountData: { userId, email },
        ...(given.couponCodes ? { couponCodes: given.couponCodes } : {}),
        ...(given.metadata ? { metadata: given.metadata } : {}),
      },
    },
    given.isVouched === false ? anonymous : callerOf(world.token),
    world.ports,
    refuse,
  );
  if (!('body' in answer)) throw new Error('a session has a body');
  const { id, nonce, vault } = answer.body;
  return { sessionId: id, nonce, userId, mountToken: vault?.mountToken ?? '' };
}

async function confirmWithKey(
  world: World,
  key: string,
  [path, fields]: [string, Record<string, string>],
) {
  const response = await fetch(`${world.sandbox.url}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: new URLSearchParams(fields).toString(),
  });
  const body = (await response.json()) as { id: string };
  if (!response.ok) throw new Error(`${path}: ${JSON.stringify(body)}`);
  return body.id;
}

/** Creates a card at the provider, as its code in a page does. */
export const aProviderCard = (world: World, number: string): Promise<string> =>
  confirmWithKey(world, world.account.publishableKey, [
    '/v1/payment_methods',
    {
      type: 'card',
      'card[number]': number,
      'card[exp_month]': '12',
      'card[exp_year]': '2034',
      'card[cvc]': '123',
    },
  ]);

/** Confirms in the page with the card of the intent, or with another one by its id, and whatever else it says. */
export async function confirmOfferedCard(
  world: World,
  { intentId, clientSecret }: PageIntent,
  paymentMethod?: string,
  more: Record<string, string> = {},
): Promise<{ status?: string; code?: string }> {
  const response = await fetch(`${world.sandbox.url}/v1/payment_intents/${intentId}/confirm`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${world.account.publishableKey}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: new URLSearchParams({
      client_secret: clientSecret,
      ...(paymentMethod ? { payment_method: paymentMethod } : {}),
      ...more,
    }).toString(),
  });
  const { status, error } = (await response.json()) as {
    status?: string;
    error?: { code?: string };
  };
  return error ? { code: error.code ?? 'refused' } : { status: status ?? '' };
}

/** An active card of the customer, attached at the provider and never charged. */
export async function aSavedCard(
  world: World,
  given: { userId: string; number?: string; gatewayId?: string },
): Promise<PaymentMethod> {
  const { userId, number = cards.approved } = given;
  const { ports } = world;
  const clientId = world.client.id;
  const gateway = await openGateway(ports, clientId, world.gatewayId);
  const customer = await ensureProviderCustomer(ports, { clientId, userId, gateway });
  if (customer.kind !== 'known') throw new Error(`no customer: ${customer.kind}`);
  const providerPaymentMethodId = await aProviderCard(world, number);
  const { secretKey } = world.account;
  const path = `/v1/payment_methods/${providerPaymentMethodId}/attach`;
  await confirmWithKey(world, secretKey, [path, { customer: customer.customerId }]);
  const facts = {
    type: 'card',
    brand: 'visa',
    lastFour: number.slice(-4),
    expiryMonth: 12,
    expiryYear: 2034,
    payerEmail: null,
  } as const;
  return ports.database.transaction(clientId, async (tx) => {
    const now = await readClock(tx);
    const method = await insertMethod(tx, {
      id: newId(),
      clientId,
      userId,
      gatewayId: given.gatewayId ?? world.gatewayId,
      provider: 'cardprovider',
      type: 'card',
      sessionId: newId(),
      isLive: false,
      createdAt: now,
    });
    const { customerId: providerCustomerId } = customer;
    const verified = { providerCustomerId, providerPaymentMethodId, facts, request: null, now };
    return activate(tx, method, verified, ports);
  });
}

/** Pays as a page does, with the given `tokenizedData`. */
export function payBy(
  world: World,
  session: Checkout,
  data: Partial<ProcessBody['tokenizedData']>,
  more: Pick<ProcessBody, 'chv'> = {},
) {
  return operations.processCheckoutSession(
    {
      sessionId: session.sessionId,
      'x-user-id': session.userId,
      body: {
        sessionId: session.sessionId,
        tokenizedData: { provider: 'cardprovider', type: 'card', ...data },
        accountData: { userId: session.userId, email },
        ...more,
      },
    },
    sessionCaller(session.nonce),
    world.ports,
    refuse,
  );
}

/** Pays through the vault charge, which names no buyer. */
export const chargeBy = (
  world: World,
  session: Checkout,
  body: Parameters<typeof operations.processVaultCharge>[0]['body'],
) =>
  operations.processVaultCharge(
    { sessionId: session.sessionId, body },
    sessionCaller(session.nonce),
    world.ports,
    refuse,
  );

const listOf = sql<{ id: string }>(
  'test_methods_of_user',
  `select id from payment_methods where client_id = $1 and user_id = $2 order by created_at, id`,
);

/** Every method of the customer, whatever its status. */
export async function methodsOf(world: World, userId: string): Promise<PaymentMethod[]> {
  const clientId = world.client.id;
  const rows = await world.database.read(listOf, [clientId, userId]);
  const found = await Promise.all(rows.map(({ id }) => findMethod(world.database, clientId, id)));
  return found.flatMap((method) => (method ? [method] : []));
}

const claimDetachment = sql(
  'test_claim_detachment',
  `insert into payment_method_detachments
     (payment_method_id, client_id, step, state, started_at, next_try_at)
   values ($1, $2, $3, 'running', svc_clock(), svc_clock())`,
);

/** Begins a detachment, which has claimed the method and done nothing else. */
export const beginDetachment = (world: World, methodId: string) =>
  world.database.write(claimDetachment, [methodId, world.client.id, 'claimed']);

/** Claims as a detachment does: under the method's lock, unless a payment is in progress. */
export const claimDetachmentOf = (world: World, method: PaymentMethod): Promise<boolean> =>
  world.database.transaction(method.clientId, async (tx) => {
    await lockMethod(tx, method.clientId, method.id);
    if (await hasLiveUse(tx, method)) return false;
    await tx.query(claimDetachment, [method.id, method.clientId, 'claimed']);
    return true;
  });

const markDetached = sql(
  'test_mark_detached',
  `update payment_method_detachments set step = 'detached' where payment_method_id = $1`,
);
const freeDefault = sql(
  'test_free_default',
  'update customers set default_payment_method_id = null where default_payment_method_id = $1',
);
const leaveTombstone = sql(
  'test_entomb',
  `update payment_methods set status = 'removed', removed_at = svc_clock(), removed_by = 'request', brand = null,
     last_four = null, expiry_month = null, expiry_year = null, payer_email = null,
     provider_customer_id = null, provider_payment_method_id = null, event_seq = event_seq + 1
   where id = $1`,
);

/** Removes the method in the database, as a finished detachment does. */
export const remove = (world: World, { id, clientId, version, eventSeq }: PaymentMethod) =>
  world.database.transaction(clientId, async (tx) => {
    await tx.query(claimDetachment, [id, clientId, 'claimed']);
    await tx.query(markDetached, [id]);
    await tx.query(freeDefault, [id]);
    await tx.query(leaveTombstone, [id]);
    const now = await readClock(tx);
    await appendEvent(
      tx,
      composeEvent({
        id: newId(),
        type: 'payment_method.deleted',
        clientId,
        isLive: false,
        now,
        resource: { type: 'payment_method', id, version: version + 1 },
        sequence: eventSeq + 1,
        request: null,
        data: eventExamples['payment_method.deleted'].data,
      }),
    );
  });

/**
 * Returns the world, and a promise that resolves when its calls have used the database `nth` times;
 * at once for 0.
 */
export function countingWorld(world: World, nth: number): { busy: World; reached: Promise<void> } {
  const { promise: reached, resolve } = Promise.withResolvers<void>();
  let asked = 0;
  const countCalls =
    <Given extends unknown[], T>(ask: (...given: Given) => T) =>
    (...given: Given): T => {
      asked += 1;
      if (asked === nth) resolve();
      return ask(...given);
    };
  if (nth === 0) resolve();
  const { read, write, transaction, close } = world.ports.database;
  const database = {
    ...{ read: countCalls(read), write: countCalls(write), transaction: countCalls(transaction) },
    close,
  } as typeof world.ports.database;
  return { busy: { ...world, ports: { ...world.ports, database } }, reached };
}
