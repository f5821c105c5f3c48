// The demo merchant's shop, which makes the thirty days of demo payments through the public API, the hosted
// card form and the sandbox's controls. Nothing is written directly, so that ledger and payments agree.

import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Block } from './block.ts';
import { cardToken, fetchInTurn, json, type OpenForm } from './card-token.ts';
import { type BuyerName, buyers, type CardName, cards, type Order } from './demo-plan.ts';
import type { CardDriver } from './options.ts';

export type Fixture = Omit<Block, 'readyMs'> & { readonly driver: CardDriver };

type Json = Record<string, unknown>;
type ListedData<T> = { readonly total: number; readonly data: readonly T[] };
type Session = OpenForm & { readonly id: string; readonly nonce: string };
export type Payment = { readonly id: string; readonly gatewayChargeId: string | null };

/** What the service or the provider does by itself must happen within this time. */
const withinMs = 20_000;
const askEveryMs = 20;

export type DemoShop = ReturnType<typeof openShop>;

type Api = <T = Json>(method: string, path: string, body?: object) => Promise<T>;

/** Calls the merchant's API. */
function openApi(fixture: Fixture): Api {
  const credential = Buffer.from(`${fixture.clientId}:${fixture.apiToken}`).toString('base64');
  return async <T>(method: string, path: string, body?: object): Promise<T> => {
    const ofBody = { 'content-type': 'application/json', 'idempotency-key': randomUUID() };
    const response = await fetchInTurn(`${fixture.apiUrl}${path}`, {
      method,
      headers: { authorization: `Basic ${credential}`, ...(body ? ofBody : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return (text === '' ? {} : JSON.parse(text)) as T;
  };
}

export async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`${what} did not happen`);
    await pause(askEveryMs);
  }
}

export function openShop(fixture: Fixture) {
  const api = openApi(fixture);
  const buyer = buyersOf(fixture, api);
  return {
    api,
    buyer,
    ...checkoutOf(fixture, api, buyer),
    control: (path: string, body: object) =>
      json(`${fixture.sandboxUrl}/_control${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    total: async (path: string) => (await api<ListedData<unknown>>('GET', path)).total,
    first: async <T>(path: string) => (await api<ListedData<T>>('GET', path)).data[0],
  };
}

type Buyer = { readonly userId: string; readonly email: string };

/** The merchant's customers. Each is created on first use. */
function buyersOf(fixture: Fixture, api: Api): (name: BuyerName) => Promise<Buyer> {
  const made = new Map<BuyerName, Promise<string>>([['ada', Promise.resolve(fixture.userId)]]);
  return async (name) => {
    const make = async () => (await api<{ id: string }>('POST', '/v1/customers', buyers[name])).id;
    const id = made.get(name) ?? make();
    made.set(name, id);
    return { userId: await id, email: buyers[name].email };
  };
}

function checkoutOf(fixture: Fixture, api: Api, buyer: (name: BuyerName) => Promise<Buyer>) {
  const open = async (order: Pick<Order, 'buyer' | 'currency' | 'lines'> & Partial<Order>) => {
    const accountData = await buyer(order.buyer);
    const session = await api<Session>('POST', '/v1/checkouts/sessions', {
      clientId: fixture.clientId,
      captureMethod: order.isHeld ? 'manual' : 'automatic',
      currency: order.currency,
      products: order.lines,
      accountData,
      ...(order.coupon ? { couponCodes: [order.coupon] } : {}),
      metadata: { order: `demo-${order.name ?? 'cart'}` },
    });
    return { session, accountData };
  };
  /** Pays with the order's card. A decline is not an error. */
  const pay = async (order: Order): Promise<Payment | undefined> => {
    const { session, accountData } = await open(order);
    const { id: sessionId, nonce } = session;
    const number = cards[order.card];
    const token = await cardToken(fixture, session, { number, driver: fixture.driver });
    const saving = order.isCardKept ? { saveForLater: true } : {};
    const response = await fetchInTurn(
      `${fixture.apiUrl}/v1/checkouts/sessions/${sessionId}/process`,
      {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-checkout-session-token': nonce,
          'x-user-id': accountData.userId,
        },
        body: JSON.stringify({
          sessionId,
          accountData,
          tokenizedData: { provider: 'cardprovider', type: 'card', token, ...saving },
        }),
      },
    );
    const answer = (await response.json()) as { paymentId?: string };
    if (response.status === 402) return undefined;
    if (!response.ok || !answer.paymentId) {
      throw new Error(`order ${order.name}: ${response.status} ${JSON.stringify(answer)}`);
    }
    return api<Payment>('GET', `/v1/payments/${answer.paymentId}`);
  };
  /** Saves a card without a payment. */
  const keepCard = async (userId: string, card: CardName): Promise<void> => {
    const session = await api<Session>('POST', '/v1/checkouts/sessions/setup', { userId });
    const by = { number: cards[card], driver: fixture.driver };
    await json(`${fixture.apiUrl}/v1/checkouts/sessions/${session.id}/card-setup`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-checkout-session-token': session.nonce },
      body: JSON.stringify({ token: await cardToken(fixture, session, by) }),
    });
  };
  return { open, pay, keepCard };
}
