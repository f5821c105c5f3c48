// The customer of these tests, with cards that are saved and what they pay for: through the API, and
// with the workers that renew and that finish removals. The provider's own record is the judge.

import type { PaymentMethod } from '../../service/src/domain/payments/payment-method.ts';
import { finishRemovals } from '../../service/src/engine/runs/payment-methods/finish-removals.ts';
import { renewDue } from '../../service/src/engine/runs/subscriptions/renew-due.ts';
import { sql } from '../../service/src/storage/database/sql.ts';
import { readStored } from '../../service/src/storage/database/stored-text.ts';
import { findMethod } from '../../service/src/storage/payment-methods/payment-methods.ts';
import { newId, type TestToken } from '../../service/test/harness.ts';
import { plantIn } from '../../service/test/planted.ts';
import { type Checkout, cards } from '../../service/test/world.ts';
import { email, mug, type Open, openShop, type Shop } from './buyer.ts';
import type { Answer, Told } from './merchant.ts';

export type Fields = Record<string, unknown>;
export type CardShop = Awaited<ReturnType<typeof openCardShop>>;
/** A call of the provider, as the provider noted it. */
export type Asked = { readonly method: string; readonly path: string; readonly fault: unknown };

export const methods = '/v1/payment-methods';
export const club = { code: 'club', quantity: 1 };
export const mastercard = '5555555555554444';
export const discover = '6011111111111117';
/** Saved without a word, declined whenever it is charged. */
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

/** The body of an answer of this status; anything else fails the test with what was said. */
export function bodyOf({ status, body, text }: Answer, wanted = 200): Fields {
  if (status !== wanted) throw new Error(`${status}: ${text}`);
  return body;
}

function withCards(shop: Shop) {
  const list = (query: string, token: TestToken | null = shop.token) =>
    shop.ask(`GET ${methods}${query}`, { token });
  return {
    list,
    /** A customer, made as merchants make one. */
    async aBuyer(more: Fields = {}): Promise<string> {
      const body = { email: `buyer-${newId()}@example.test`, ...more };
      return String(bodyOf(await shop.ask('POST /v1/customers', { body }), 201).id);
    },
    /** A card that the customer has saved without a charge. */
    async aCard(userId: string, number: string = cards.approved): Promise<PaymentMethod> {
      const session = await shop.aSetup({ userId });
      const token = await shop.card(session, number);
      const asked = await shop.handOver(session, token);
      if (asked.body.type === '3ds_required') await shop.challenge(asked, 'approve');
      const answer = await shop.handOver(session, token);
      return this.method(String(bodyOf(answer).paymentMethodId));
    },
    /** With what only the service knows of it. */
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
    /** A session that the merchant opens for its customer. */
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
    /** Pays a mug with the card. */
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
    /** A month of the club, paid with the card. */
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
    /** Here and at the provider. */
    async makeDefault({ id, userId }: PaymentMethod): Promise<void> {
      const body = { defaultPaymentMethodId: id };
      bodyOf(await shop.ask(`PATCH /v1/customers/${userId}`, { body }));
    },
    /** Lets the subscription's next charge come, and runs the worker. */
    async renew(subscription: Fields): Promise<void> {
      const { nextRenewalAt } = bodyOf(await shop.ask(`GET /v1/subscriptions/${subscription.id}`));
      const [row] = await shop.database.read(now, []);
      const waitMs = Date.parse(String(nextRenewalAt)) - (row?.now.getTime() ?? 0);
      await shop.advance(Math.max(0, Math.ceil(waitMs / 1000)));
      await renewDue(shop.ports, strictly);
    },
    finishRemovals: () => finishRemovals(shop.ports, strictly),
    /** Behind the service's back: past triggers and foreign keys. */
    plant: (text: string, values: readonly unknown[] = []) =>
      plantIn(shop.ownerUrl, (run) => run(text, values)),
  };
}

function withRecord(shop: Shop) {
  const asked = async (): Promise<Asked[]> =>
    ((await shop.control('GET', '/_control/requests')) as { requests: Asked[] }).requests;
  const atProvider = async (path: string, method = 'GET'): Promise<Fields> => {
    const response = await fetch(`${shop.sandbox.url}/v1/${path}`, {
      method,
      headers: { authorization: `Bearer ${shop.account.secretKey}` },
    });
    return (await response.json()) as Fields;
  };
  return {
    atProvider,
    /** Calls of the provider meanwhile. */
    async during<T>(work: () => Promise<T>): Promise<{ result: T; calls: Asked[] }> {
      const before = (await asked()).length;
      const result = await work();
      return { result, calls: (await asked()).slice(before) };
    },
    /** Whether the provider could charge it for its customer. */
    async isKept({ providerPaymentMethodId, providerCustomerId }: PaymentMethod): Promise<boolean> {
      const { customer } = await atProvider(`payment_methods/${providerPaymentMethodId}`);
      return customer !== null && customer === providerCustomerId;
    },
    /** Whom the provider would charge where no card is named. */
    async providerDefault({ providerCustomerId }: PaymentMethod): Promise<unknown> {
      const { invoice_settings } = await atProvider(`customers/${providerCustomerId}`);
      return (invoice_settings as Fields).default_payment_method;
    },
    /** Every event of the merchant, as its webhooks carry it. */
    async allTold(): Promise<(Told & { readonly resource: Fields })[]> {
      const rows = await shop.database.read(everyEvent, [shop.client.id]);
      return rows.map(({ payload }) => JSON.parse(readStored(payload)));
    },
  };
}
