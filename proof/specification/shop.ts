// A merchant and its buyers, over HTTP: checkouts as a page and the card form run them, money that moves,
// saved cards and subscriptions, and the provider's dashboard and clock. Everything behind it is real.

import { expect } from 'vitest';
import { expireSessions } from '../../service/src/engine/runs/checkout-sessions/expire-sessions.ts';
import { expireHolds } from '../../service/src/engine/runs/payments/expire-holds.ts';
import { settleInDoubt } from '../../service/src/engine/runs/payments/settle-in-doubt.ts';
import { renewDue } from '../../service/src/engine/runs/subscriptions/renew-due.ts';
import { sql } from '../../service/src/storage/database/sql.ts';
import { findPayment } from '../../service/src/storage/payments/payments.ts';
import { callAs, moveClock, newId, type TestToken } from '../../service/test/harness.ts';
import {
  deliverNotice,
  providerEvents,
  readAllNotices,
} from '../../service/test/payments/notices.ts';
import { aServer } from '../../service/test/server.ts';
import {
  aCardToken,
  aSession,
  type Checkout,
  cards,
  startWorld,
  type World,
} from '../../service/test/world.ts';

export const sessions = '/v1/checkouts/sessions';
export const email = 'buyer@example.test';
export const mug = { code: 'mug', quantity: 1 };
const club = { code: 'club', quantity: 1 };

type Fields = Record<string, unknown>;
export type ShopResponse = {
  readonly status: number;
  readonly body: Fields;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
};
export type Open = Checkout & { readonly body: Fields };
type Card = { readonly id: string; readonly userId: string };
type CallAs = Parameters<typeof callAs> extends [unknown, ...infer Rest] ? Rest : never;
type CallOptions = {
  readonly key?: string;
  readonly body?: unknown;
  readonly token?: TestToken | null;
};
type PayFields = Fields & { readonly headers?: Readonly<Record<string, string>> };

const events = sql<{ type: string }>(
  'spec_events',
  'select type from events where resource_id = $1 order by sequence',
);
const statuses = sql<{ status: string }>(
  'spec_statuses',
  'select status from payment_history where payment_id = $1 order by version',
);
const endLeases = sql(
  'spec_end_leases',
  `update payment_operations set lease_until = svc_clock(), next_check_at = svc_clock()
   where state in ('active', 'in_doubt', 'awaiting_customer')`,
);
const now = sql<{ now: Date }>('spec_now', 'select svc_clock() as now');
const strictly = {
  limit: 50,
  onError: (_: unknown, error: unknown) => {
    throw error;
  },
};

/** The expected form of a refusal: one flat object. Contract §1. */
export const refusal = (status: number, code: string, more: object = {}) => ({
  status,
  body: { code, status, requestId: expect.stringMatching(/^req_/), ...more },
});

/** Returns the body of an answer with this status; any other status fails the test with the answer's text. */
export function bodyOf({ status, body, text }: ShopResponse, wanted = 200): Fields {
  if (status !== wanted) throw new Error(`${status}: ${text}`);
  return body;
}

export type Shop = Awaited<ReturnType<typeof openShop>>;

export async function openShop() {
  const world = await startWorld();
  const { app } = await aServer(world.ports, { limits: null });
  const api = withApi(world, app);
  const sessionCalls = withSessions(world, api);
  const paying = withPaying(world, { ...api, ...sessionCalls });
  return {
    ...world,
    ...api,
    ...sessionCalls,
    ...paying,
    ...withMoney(world, api),
    ...withCatalog(api),
    ...withCards(world, { ...api, ...sessionCalls, ...paying }),
    ...withTime(world),
    app,
    async close() {
      await app.close();
      await world.close();
    },
  };
}

type Api = ReturnType<typeof withApi>;

function withApi(world: World, app: Parameters<typeof callAs>[0]) {
  const call = async (...given: CallAs): Promise<ShopResponse> => {
    const { statusCode: status, headers, payload: text } = await callAs(app, ...given);
    return { status, headers, text, body: text === '' ? {} : JSON.parse(text) };
  };
  return {
    call,
    /** Calls with the merchant's credential, or with another one. */
    ask: (path: CallAs[1], { key, body, token = world.token }: CallOptions = {}) =>
      call(token, path, { headers: key ? { 'idempotency-key': key } : {}, body }),
  };
}

const openedSession = (answer: ShopResponse, userId: string): Open => {
  const body = bodyOf(answer, 201);
  const { mountToken } = body.vault as { mountToken: string };
  return { sessionId: String(body.id), nonce: String(body.nonce), mountToken, userId, body };
};

function withSessions({ client, token }: World, { call, ask }: Api) {
  const create = (more: Fields = {}, credential: TestToken | null = null): Promise<ShopResponse> =>
    call(credential, `POST ${sessions}`, {
      body: {
        clientId: client.id,
        currency: 'EUR',
        products: [mug],
        accountData: { userId: newId(), email },
        ...more,
      },
    });
  const pathOf = ({ sessionId }: Checkout) => `${sessions}/${sessionId}`;
  const status = (session: Checkout) => call(session, `GET ${pathOf(session)}/status`);
  return {
    create,
    /** Opens a session for one mug, with automatic capture by default. */
    async open(more: Fields = {}): Promise<Open> {
      const userId = newId();
      return openedSession(await create({ accountData: { userId, email }, ...more }), userId);
    },
    /** Opens a session in which the merchant vouches for its customer. */
    vouched: async (userId: string, more: Fields = {}): Promise<Open> =>
      openedSession(await create({ accountData: { userId, email }, ...more }, token), userId),
    async shell(): Promise<Open> {
      const body = { clientId: client.id, currency: 'EUR', deferDataAttachment: true };
      return openedSession(await call(null, `POST ${sessions}`, { body }), newId());
    },
    claim: (session: Checkout) =>
      call(session, `PATCH ${pathOf(session)}/claim`, {
        body: { currency: 'EUR', products: [mug], accountData: { userId: session.userId, email } },
      }),
    get: (session: Checkout) => call(session, `GET ${pathOf(session)}`),
    status,
    /** Returns the session's status by the specification. */
    stands: async (session: Checkout) => (await status(session)).body.data as Fields,
    async aSetup(userId: string): Promise<Open> {
      return openedSession(await ask(`POST ${sessions}/setup`, { body: { userId } }), userId);
    },
  };
}

type SessionCalls = Api & ReturnType<typeof withSessions>;

function withPaying(world: World, { call }: SessionCalls) {
  const card = (session: Checkout, number: string = cards.approved) =>
    aCardToken(world, session, number);
  /** Calls process as a page does; `more` and `tokenizedData` change the body. */
  const payWith = (
    session: Checkout,
    tokenizedData: Fields,
    { headers = { 'x-user-id': session.userId }, ...more }: PayFields = {},
  ) =>
    call(session, `POST ${sessions}/${session.sessionId}/process`, {
      headers,
      body: {
        sessionId: session.sessionId,
        tokenizedData: { provider: 'cardprovider', type: 'card', ...tokenizedData },
        accountData: { userId: session.userId, email },
        ...more,
      },
    });
  const pay = async (session: Checkout, number?: string) =>
    payWith(session, { token: await card(session, number) });
  /** Runs a checkout up to its first answer. */
  const checkout = async (captureMethod: 'automatic' | 'manual', number?: string) => {
    const session = await aSession(world, { captureMethod });
    const answer = await pay(session, number);
    return { session, answer, paymentId: String(answer.body.paymentId) };
  };
  return {
    card,
    payWith,
    pay,
    checkout,
    aHold: async () => (await checkout('manual')).paymentId,
    aPurchase: async () => (await checkout('automatic')).paymentId,
    intent: (session: Checkout) =>
      call(session, 'POST /v1/checkouts/payments/intents', {
        body: { sessionId: session.sessionId, email, paymentMethod: 'card' },
      }),
    /** Answers a challenge as the buyer on the bank's page. */
    async challenge({ body }: ShopResponse, outcome: 'approve' | 'fail'): Promise<void> {
      await fetch((body.challenge as { url: string }).url, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: `outcome=${outcome}`,
        redirect: 'manual',
      });
    },
  };
}

function withMoney(world: World, { ask }: Api) {
  const intentOf = async (paymentId: string) =>
    (await findPayment(world.database, world.client.id, paymentId))?.providerIntentId ?? '';
  return {
    intentOf,
    /** Calls PUT capture, PUT cancel or POST refunds. */
    move: (move: 'capture' | 'cancel' | 'refunds', paymentId: string, given: CallOptions = {}) =>
      ask(`${move === 'refunds' ? 'POST' : 'PUT'} /v1/payments/${paymentId}/${move}`, {
        key: newId(),
        ...given,
      }),
    read: async (paymentId: string) => bodyOf(await ask(`GET /v1/payments/${paymentId}`)),
    /** Returns the types of the events of the payment in their order. */
    types: async (paymentId: string) =>
      (await world.database.read(events, [paymentId])).map(({ type }) => type),
    /** Returns every status of the payment's history, without repeats. */
    async path(paymentId: string): Promise<string[]> {
      const rows = await world.database.read(statuses, [paymentId]);
      return rows.map(({ status }) => status).filter((one, at, all) => one !== all[at - 1]);
    },
    /** Returns the movements of money that the provider recorded for the payment, by kind. */
    movements: async (paymentId: string) =>
      (await world.ledger(await intentOf(paymentId))).map(({ kind }) => kind),
    /** Delivers all events of the provider about the payment, and reads them. */
    async hear(paymentId: string): Promise<void> {
      for (const event of await providerEvents(world, await intentOf(paymentId))) {
        await deliverNotice(world, event);
      }
      await readAllNotices(world);
    },
  };
}

function withCatalog({ ask }: Api) {
  const uniqueCode = (prefix: string) => `${prefix}-${newId().slice(-12)}`;
  return {
    /** Adds a product and returns its code. */
    async aProduct(more: Fields = {}): Promise<string> {
      const prices = [{ currency: 'EUR', amount: 10 }];
      const body = { code: uniqueCode('p'), name: 'A pen', kind: 'item', prices, ...more };
      return String(bodyOf(await ask('POST /v1/products', { body }), 201).code);
    },
    /** Adds a coupon of ten percent and returns its code. */
    async aCoupon(): Promise<string> {
      const body = { code: uniqueCode('C').toUpperCase(), percentOff: 10 };
      return String(bodyOf(await ask('POST /v1/coupons', { body }), 201).code);
    },
  };
}

function withCards(
  world: World,
  {
    call,
    ask,
    aSetup,
    vouched,
    card,
    payWith,
    challenge,
  }: SessionCalls & ReturnType<typeof withPaying>,
) {
  /** Submits a card token to a setup session. */
  const handOver = (session: Checkout, token: string): Promise<ShopResponse> =>
    call(session, `POST ${sessions}/${session.sessionId}/card-setup`, { body: { token } });
  return {
    /** Creates a customer as merchants do. */
    async aBuyer(): Promise<string> {
      const body = { email: `buyer-${newId()}@example.test` };
      return String(bodyOf(await ask('POST /v1/customers', { body }), 201).id);
    },
    saveCard: async (session: Checkout, number?: string): Promise<ShopResponse> =>
      handOver(session, await card(session, number)),
    /** Saves a card of the customer without a charge. */
    async aCard(userId: string, number?: string): Promise<Card> {
      const session = await aSetup(userId);
      const token = await card(session, number);
      const asked = await handOver(session, token);
      if (asked.body.type === '3ds_required') await challenge(asked, 'approve');
      const { paymentMethodId } = bodyOf(await handOver(session, token));
      return { id: String(paymentMethodId), userId };
    },
    remove: (id: string) => ask(`DELETE /v1/payment-methods/${id}`),
    /** Buys one month of the club with the card. */
    async aClub({ id, userId }: Card): Promise<Fields> {
      const session = await vouched(userId, { products: [club] });
      bodyOf(await payWith(session, { paymentMethodId: id }));
      const { data } = bodyOf(await ask(`GET /v1/subscriptions?userId[eq]=${userId}`));
      return (data as Fields[])[0] ?? {};
    },
    /** Moves the clock to the subscription's next charge and runs the worker. */
    async renew({ id }: Fields): Promise<void> {
      const { nextRenewalAt } = bodyOf(await ask(`GET /v1/subscriptions/${id}`));
      const [row] = await world.database.read(now, []);
      const waitMs = Date.parse(String(nextRenewalAt)) - (row?.now.getTime() ?? 0);
      await advance(world, Math.max(0, Math.ceil(waitMs / 1000)));
      await renewDue(world.ports, strictly);
    },
  };
}

/** Moves the clock that service and provider share in the sandbox. */
async function advance(world: World, seconds: number): Promise<void> {
  await world.control('POST', '/_control/clock/advance', { seconds });
  await moveClock(world.database, seconds * 1000);
}

const withTime = (world: World) => ({
  advance: (seconds: number) => advance(world, seconds),
  /** Ends the leases, then runs one pass of the recovery worker. */
  async recover(): Promise<void> {
    await world.database.write(endLeases, []);
    await settleInDoubt(world.ports, strictly);
  },
  /** Runs the worker that ends expired holds. */
  expire: () => expireHolds(world.ports, strictly),
  /** Runs the worker that ends expired sessions. */
  sweep: () => expireSessions(world.ports, strictly),
});
