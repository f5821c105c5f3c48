// The customer of these tests, with saved cards and what they pay for: through the API, and with
// the workers that renew subscriptions and finish removals. The provider's own records decide.

import type { PaymentMethod } from '../../service/src/domain/payments/payment-method.ts';
import { finishRemovals } from '../../service/src/engine/runs/payment-methods/finish-removals.ts';
import { renewDue } from '../../service/src/engine/runs/subscriptions/renew-due.ts';
import { sql } from '../../service/src/storage/database/sql.ts';
import { readStored } from '../../service/src/storage/database/stored-text.ts';
import { findMethod } from '../../service/src/storage/payment-methods/payment-methods.ts';
import { newId, type TestToken } from '../../service/test/harness.ts';
import { plantInDatabase } from '../../service/test/planted.ts';
import { type Checkout, cards } from '../../service/test/world.ts';
import { email, mug, type Open, openShop, type Shop } from './buyer.ts';
import type { Answer, ReceivedEvent } from './merchant.ts';

export type Fields = Record<string, unknown>;
export type CardShop = Awaited<ReturnType<typeof openCardShop>>;
/** A call that the provider recorded. */
export type RecordedCall = {
  readonly method: string;
  readonly path: string;
  readonly fault: unknown;
};

export const methods = '/v1/payment-methods';
export const club = { code: 'club', quantity: 1 };
export const mastercard = '5555555555554444';
export const discover = '6011111111111117';
/** A card that is saved without an error and declined at every charge. */
export const chargesDecline = '4000000000000341';

const now = sql<{ now: Date }>('spec_cards_now', 'select svc_clock() as now');
const everyEvent = sql<{ payload: Buffer }>(
  'spec_cards_events',
  'select payload from events where client_id = $1 order by created_at, id',
);
const strictly = {
  limit: 50,
  onError: (_: unknown, error: unknown) => {
    throw error;
  },
};

export async function openCardShop() {
  const shop = await openShop();
  const cardsOf = withCards(shop);
  return { ...shop, ...cardsOf, ...withFunding(shop, cardsOf), ...withRecord(shop) };
}

/**
 * Returns the body of a response with this status; any other status fails the test with the
 * response's text.
 */
export function bodyOf({ status, body, text }: Answer, wanted = 200): Fields {
  if (status !== wanted) throw new Error(`${status}: ${text}`);
  return body;
}

function withCards(shop: Shop) {
  const list = (query: string, token: TestToken | null = shop.token) =>
    shop.ask(`GET ${methods}${query}`, { token });
  return {
    list,
    /** Creates a customer as merchants do. */
    async aBuyer(more: Fields = {}): Promise<string> {
      const body = { email: `buyer-${newId()}@example.test`, ...more };
      return String(bodyOf(await shop.ask('POST /v1/customers', { body }), 201).id);
    },
    /** Saves a card of the customer without a charge. */
    async aCard(userId: string, number: string = cards.approved): Promise<PaymentMethod> {
      const session = await shop.aSetup({ userId });
      const token = await shop.card(session, number);
      const asked = await shop.handOver(session, token);
      if (asked.body.type === '3ds_required') await shop.challenge(asked, 'approve');
      const answer = await shop.handOver(session, token);
      return this.method(String(bodyOf(answer).paymentMethodId));
    },
    /** Reads the method from the database, with the fields that the API does not show. */
    async method(id: string): Promise<PaymentMethod> {
      const found = await findMethod(shop.database, shop.client.id, id);
      if (!found) throw new Error(`no payment method ${id}`);
      return found;
    },
    async listed(userId: string): Promise<Fields[]> {
      return bodyOf(await list(`?userUuid=${userId}&limit=100`)).data as Fields[];
    },
    async listedIds(userId: string): Promise<unknown[]> {
      return (await this.listed(userId)).map(({ id }) => id);
    },
    remove: (id: string, token: TestToken | null = shop.token) =>
      shop.ask(`DELETE ${methods}/${id}`, { token }),
    /** Opens a session in which the merchant vouches for its customer. */
    async vouched(userId: string, more: Fields = {}): Promise<Open> {
      const body = bodyOf(
        await shop.create({ accountData: { userId, email }, products: [mug], ...more }, true),
        201,
      );
      const { mountToken } = body.vault as { mountToken: string };
      return { sessionId: String(body.id), nonce: String(body.nonce), mountToken, userId, body };
    },
    usable: (session: Checkout) =>
      shop.call(session, `GET /v1/checkouts/sessions/${session.sessionId}/payment-methods`),
    /** Pays one mug with the card. */
    async payBy(card: Pick<PaymentMethod, 'id' | 'userId'>): Promise<Answer> {
      return shop.payWith(await this.vouched(card.userId), { paymentMethodId: card.id });
    },
  };
}

function withFunding(shop: Shop, { vouched }: ReturnType<typeof withCards>) {
  const subscriptionsOf = async (userId: string): Promise<Fields[]> =>
    bodyOf(await shop.ask(`GET /v1/subscriptions?userId[eq]=${userId}`)).data as Fields[];
  return {
    subscriptionsOf,
    subscription: async (id: unknown) => bodyOf(await shop.ask(`GET /v1/subscriptions/${id}`)),
    /** Buys one month of the club with the card. */
    async aClub({ id, userId }: PaymentMethod): Promise<Fields> {
      const session = await vouched(userId, { products: [club] });
      bodyOf(await shop.payWith(session, { paymentMethodId: id }));
      const bought = (await subscriptionsOf(userId)).find(
        ({ sessionId }) => sessionId === session.sessionId,
      );
      if (!bought) throw new Error('nothing was bought');
      return bought;
    },
    customer: async (userId: string) => bodyOf(await shop.ask(`GET /v1/customers/${userId}`)),
    /** Makes the card the default, here and at the provider. */
    async makeDefault({ id, userId }: PaymentMethod): Promise<void> {
      const body = { defaultPaymentMethodId: id };
      bodyOf(await shop.ask(`PATCH /v1/customers/${userId}`, { body }));
    },
    /** Moves the clock to the subscription's next charge and runs the worker. */
    async renew(subscription: Fields): Promise<void> {
      const { nextRenewalAt } = bodyOf(await shop.ask(`GET /v1/subscriptions/${subscription.id}`));
      const [row] = await shop.database.read(now, []);
      const waitMs = Date.parse(String(nextRenewalAt)) - (row?.now.getTime() ?? 0);
      await shop.advance(Math.max(0, Math.ceil(waitMs / 1000)));
      await renewDue(shop.ports, strictly);
    },
    finishRemovals: () => finishRemovals(shop.ports, strictly),
    /** Changes rows directly, without triggers and foreign keys. */
    plant: (text: string, values: readonly unknown[] = []) =>
      plantInDatabase(shop.ownerUrl, (run) => run(text, values)),
  };
}

function withRecord(shop: Shop) {
  const listCalls = async (): Promise<RecordedCall[]> =>
    ((await shop.control('GET', '/_control/requests')) as { requests: RecordedCall[] }).requests;
  const callProvider = async (path: string, method = 'GET'): Promise<Fields> => {
    const response = await fetch(`${shop.sandbox.url}/v1/${path}`, {
      method,
      headers: { authorization: `Bearer ${shop.account.secretKey}` },
    });
    return (await response.json()) as Fields;
  };
  return {
    atProvider: callProvider,
    /** Returns the provider calls that `work` caused. */
    async during<T>(work: () => Promise<T>): Promise<{ result: T; calls: RecordedCall[] }> {
      const before = (await listCalls()).length;
      const result = await work();
      return { result, calls: (await listCalls()).slice(before) };
    },
    /** Whether the provider could charge the card for its customer. */
    async isKept({ providerPaymentMethodId, providerCustomerId }: PaymentMethod): Promise<boolean> {
      const { customer } = await callProvider(`payment_methods/${providerPaymentMethodId}`);
      return customer !== null && customer === providerCustomerId;
    },
    /** Returns the card that the provider would charge when none is named. */
    async providerDefault({ providerCustomerId }: PaymentMethod): Promise<unknown> {
      const { invoice_settings } = await callProvider(`customers/${providerCustomerId}`);
      return (invoice_settings as Fields).default_payment_method;
    },
    /** Returns every event of the merchant, as its webhooks contain it. */
    async allTold(): Promise<(ReceivedEvent & { readonly resource: Fields })[]> {
      const rows = await shop.database.read(everyEvent, [shop.client.id]);
      return rows.map(({ payload }) => JSON.parse(readStored(payload)));
    },
  };
}
