// The buyer of these tests: a checkout over HTTP from its creation on, as a page and the card form
// run it, and the merchant's catalog.

import { expect } from 'vitest';
import { expireSessions } from '../../service/src/engine/runs/checkout-sessions/expire-sessions.ts';
import { aCustomer, newId, type TestToken } from '../../service/test/harness.ts';
import { aCardToken, type Checkout, cards } from '../../service/test/world.ts';
import { type Answer, type Merchant, openMerchant } from './merchant.ts';

export const sessions = '/v1/checkouts/sessions';
export const email = 'buyer@example.test';
export const mug = { code: 'mug', quantity: 1 };

export type Shop = Awaited<ReturnType<typeof openShop>>;
export type Open = Checkout & { readonly body: Record<string, unknown> };
type RequestFields = Record<string, unknown>;

/** The expected form of a refusal: one flat object. Contract §1. */
export const refusal = (status: number, code: string, more: object = {}) => ({
  status,
  body: { code, status, requestId: expect.stringMatching(/^req_/), ...more },
});

/** The expected 422 `invalid_catalog_data` for one field. */
export const catalogProblem = (path: string, code: string) =>
  refusal(422, 'invalid_catalog_data', {
    errors: expect.arrayContaining([expect.objectContaining({ path, code })]),
  });

export async function openShop(given: Parameters<typeof openMerchant>[0] = {}) {
  const shop = await openMerchant(given);
  const paths = withSessions(shop);
  return {
    ...shop,
    ...paths,
    ...withPayments(shop, paths),
    ...withCatalog(shop),
    ...timeControls(shop),
    ...withSetups(shop),
  };
}

function withSessions(shop: Merchant) {
  const create = (more: RequestFields = {}, asMerchant = false): Promise<Answer> =>
    shop.call(asMerchant ? shop.token : null, `POST ${sessions}`, {
      body: {
        clientId: shop.client.id,
        currency: 'EUR',
        products: [mug],
        accountData: { userId: newId(), email },
        ...more,
      },
    });
  const openedSession = ({ status, body, text }: Answer, userId: string): Open => {
    if (status !== 201) throw new Error(text);
    const { mountToken } = body.vault as { mountToken: string };
    return { sessionId: String(body.id), nonce: String(body.nonce), mountToken, userId, body };
  };
  const sessionPath = ({ sessionId }: Checkout) => `${sessions}/${sessionId}`;
  return {
    create,
    /** Opens a session for one mug, with automatic capture by default. */
    async open(more: RequestFields = {}, asMerchant = false): Promise<Open> {
      const userId = newId();
      const accountData = { userId, email };
      return openedSession(await create({ accountData, ...more }, asMerchant), userId);
    },
    async shell(more: RequestFields = {}): Promise<Open> {
      const body = { clientId: shop.client.id, currency: 'EUR', deferDataAttachment: true };
      const answer = await shop.call(null, `POST ${sessions}`, { body: { ...body, ...more } });
      return openedSession(answer, newId());
    },
    /** Claims the session; a body that is a string is sent unchanged. */
    claim: (session: Checkout, more: RequestFields | string = {}, nonce = session.nonce) =>
      shop.call({ nonce }, `PATCH ${sessionPath(session)}/claim`, {
        body: typeof more === 'string' ? more : { ...claimBody(session), ...more },
      }),
    get: (session: Checkout, nonce = session.nonce) =>
      shop.call({ nonce }, `GET ${sessionPath(session)}`),
    status: (session: Checkout, query = '') =>
      shop.call(session, `GET ${sessionPath(session)}/status${query}`),
    decline: (session: Checkout, body: RequestFields = { reason: 'buyer_canceled' }) =>
      shop.call(session, `POST ${sessionPath(session)}/decline`, { body }),
    setCoupons: (session: Checkout, couponCodes: readonly string[]) =>
      shop.call(session, `PATCH ${sessionPath(session)}/coupons`, { body: { couponCodes } }),
  };
}

export const claimBody = ({ userId }: Checkout) => ({
  currency: 'EUR',
  products: [mug],
  accountData: { userId, email },
});

function withPayments(shop: Merchant, { status }: ReturnType<typeof withSessions>) {
  const card = (session: Checkout, number: string = cards.approved) =>
    aCardToken(shop, session, number);
  /** Calls process as a page does; `more` and `tokenizedData` change the body. */
  const payWith = (
    session: Checkout,
    tokenizedData: RequestFields,
    { headers = { 'x-user-id': session.userId }, ...more }: PayFields = {},
  ) =>
    shop.call(session, `POST ${sessions}/${session.sessionId}/process`, {
      headers,
      body: {
        sessionId: session.sessionId,
        tokenizedData: { provider: 'cardprovider', type: 'card', ...tokenizedData },
        accountData: { userId: session.userId, email },
        ...more,
      },
    });
  return {
    card,
    payWith,
    pay: async (session: Checkout, number?: string) =>
      payWith(session, { token: await card(session, number) }),
    charge: (session: Checkout, token: string) =>
      shop.call(session, `POST ${sessions}/${session.sessionId}/vault-charge`, { body: { token } }),
    intent: (session: Checkout, more: RequestFields = {}) =>
      shop.call(session, 'POST /v1/checkouts/payments/intents', {
        body: { sessionId: session.sessionId, email, paymentMethod: 'card', ...more },
      }),
    /** Returns the session's status by the specification. */
    async stands(session: Checkout): Promise<RequestFields> {
      return (await status(session)).body.data as RequestFields;
    },
    /** Returns the number of provider calls that could have charged something. */
    async chargesAsked(): Promise<number> {
      const { requests } = (await shop.control('GET', '/_control/requests')) as {
        requests: { method: string; path: string }[];
      };
      return requests.filter(
        ({ method, path }) => method === 'POST' && /payment_intents|checkout\/orders/.test(path),
      ).length;
    },
  };
}

type PayFields = RequestFields & { readonly headers?: Readonly<Record<string, string>> };

function withCatalog(shop: Merchant) {
  const uniqueCode = (prefix: string) => `${prefix}-${newId().slice(-12)}`;
  return {
    addProduct: (more: RequestFields = {}): Promise<Answer> =>
      shop.ask('POST /v1/products', {
        body: {
          code: uniqueCode('p'),
          name: 'A pen',
          kind: 'item',
          prices: [{ currency: 'EUR', amount: 10 }],
          ...more,
        },
      }),
    addCoupon: (more: RequestFields = {}): Promise<Answer> =>
      shop.ask('POST /v1/coupons', { body: { code: uniqueCode('C').toUpperCase(), ...more } }),
    /** Adds a product and returns its code; fails the test when the product is refused. */
    async aProduct(more: RequestFields = {}): Promise<string> {
      return bodyTextOf(await this.addProduct(more));
    },
    async aCoupon(more: RequestFields = { percentOff: 10 }): Promise<string> {
      return bodyTextOf(await this.addCoupon(more));
    },
  };
}

function bodyTextOf({ status, text, body }: Answer): string {
  if (status !== 201) throw new Error(text);
  return String(body.code);
}

function timeControls(shop: Merchant) {
  return {
    /** Runs the worker that ends expired sessions. */
    sweep: () =>
      expireSessions(shop.ports, {
        limit: 50,
        onError: (_, error) => {
          throw error;
        },
      }),
  };
}

function withSetups(shop: Merchant) {
  const setupPath = ({ sessionId }: Checkout) => `${sessions}/${sessionId}/card-setup`;
  return {
    /** Creates a customer of the merchant. */
    async aCustomer(): Promise<string> {
      return (await aCustomer(shop.database, shop.client, { id: newId() })).id;
    },
    createSetup: (body: RequestFields, token: TestToken | null = shop.token): Promise<Answer> =>
      shop.ask(`POST ${sessions}/setup`, { body, token }),
    /** Opens a setup session, of a new customer by default. */
    async aSetup(given: RequestFields = {}): Promise<Open> {
      const userId = String(given.userId ?? (await this.aCustomer()));
      const { status, body, text } = await this.createSetup({ ...given, userId });
      if (status !== 201) throw new Error(text);
      const { mountToken } = body.vault as { mountToken: string };
      return { sessionId: String(body.id), nonce: String(body.nonce), mountToken, userId, body };
    },
    /** Submits a card token; the repeat after a challenge has `chv`. */
    handOver: (session: Checkout, token: string, more: RequestFields = {}): Promise<Answer> =>
      shop.call(session, `POST ${setupPath(session)}`, { body: { token, ...more } }),
    async saveCard(session: Checkout, number: string = cards.approved): Promise<Answer> {
      return this.handOver(session, await aCardToken(shop, session, number));
    },
    setupIntent: (session: Checkout, body: RequestFields): Promise<Answer> =>
      shop.call(session, 'POST /v1/checkouts/payments/setup-intents', {
        body: { sessionId: session.sessionId, paymentMethodType: 'card', ...body },
      }),
  };
}
